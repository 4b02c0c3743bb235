module github.com/slipstick/slipstick/registry

go 1.26.0

require (
	github.com/google/go-containerregistry v0.22.1
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/image-spec v1.1.1
	github.com/slipstick/slipstick/sdk v0.0.0
	github.com/slipstick/slipstick/versions v0.0.0
	golang.org/x/sync v0.24.0
	oras.land/oras-go/v2 v2.6.4
)

require github.com/Masterminds/semver/v3 v3.5.0 // indirect

replace (
	github.com/slipstick/slipstick/sdk => ../sdk
	github.com/slipstick/slipstick/versions => ../versions
)
