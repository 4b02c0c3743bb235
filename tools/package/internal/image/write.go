package image

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipstick/slipstick/host/tools/package/internal/release"
)

// Write writes the images of one name, one for each platform. They form an OCI image layout in the
// directory NAME.oci. Each is also written as NAME-VERSION-OS-ARCH.docker.tar for podman and Docker.
// Write returns the digest of the index of platforms.
func Write(dir, called string, r *release.Release, images []v1.Image) (v1.Hash, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, made := range images {
		about, err := made.ConfigFile()
		if err != nil {
			return v1.Hash{}, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: made, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: about.OS, Architecture: about.Architecture},
		}})
		if err := archive(filepath.Join(dir, fmt.Sprintf("%s-%s-%s-%s.docker.tar", called, r.Version, about.OS, about.Architecture)), called, r, made); err != nil {
			return v1.Hash{}, err
		}
	}
	place := filepath.Join(dir, called+".oci")
	if err := os.RemoveAll(place); err != nil {
		return v1.Hash{}, err
	}
	path, err := layout.Write(place, empty.Index)
	if err != nil {
		return v1.Hash{}, err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.Version})); err != nil {
		return v1.Hash{}, err
	}
	return index.Digest()
}

func archive(file, called string, r *release.Release, made v1.Image) error {
	tag, err := name.NewTag("localhost/" + called + ":" + r.Version)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(file, tag, made)
}
