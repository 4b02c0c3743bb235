module github.com/slipstick/slipstick/registry

go 1.26.0

require (
	aead.dev/minisign v0.3.0
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/go-playground/validator/v10 v10.30.6
	github.com/google/go-containerregistry v0.22.1
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/image-spec v1.1.1
	github.com/slipstick/slipstick/conformance v0.0.0
	github.com/slipstick/slipstick/sdk v0.0.0
	github.com/slipstick/slipstick/versions v0.0.0
	golang.org/x/mod v0.41.0
	golang.org/x/sys v0.49.0
	oras.land/oras-go/v2 v2.6.4
)

require github.com/Masterminds/semver/v3 v3.5.0 // indirect

require (
	github.com/fatih/color v1.13.0 // indirect
	github.com/gabriel-vasile/mimetype v1.4.16 // indirect
	github.com/go-playground/locales v0.14.2 // indirect
	github.com/go-playground/universal-translator v0.18.2 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/hashicorp/go-hclog v1.6.3 // indirect
	github.com/jstemmer/go-junit-report/v2 v2.1.0 // indirect
	github.com/leodido/go-urn v1.5.0 // indirect
	github.com/mattn/go-colorable v0.1.12 // indirect
	github.com/mattn/go-isatty v0.0.17 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
