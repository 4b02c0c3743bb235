module github.com/slipstick/slipstick/host/deploy/package

go 1.26.0

require (
	aead.dev/minisign v0.3.0
	github.com/alecthomas/kong v1.17.0
	github.com/google/go-containerregistry v0.22.1
	golang.org/x/mod v0.41.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/crypto/x509roots/fallback v0.0.0-20261030153154-30a33513ff6d
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
