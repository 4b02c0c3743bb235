package remote

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strings"

	"oras.land/oras-go/v2/registry"
)

// Scheme is the start of the URL of a remote registry.
const Scheme = "oci://"

// IsAddress reports whether a place is a remote registry, and not a directory.
func IsAddress(place string) bool { return strings.HasPrefix(place, Scheme) }

// parse returns the server of a URL, with its port, and the prefix.
func parse(address string) (registry.Reference, error) {
	rest, ok := strings.CutPrefix(address, Scheme)
	host, prefix, _ := strings.Cut(strings.TrimRight(rest, "/"), "/")
	ref := registry.Reference{Registry: host, Repository: prefix}
	if !ok || host == "" || prefix == "" || ref.ValidateRegistry() != nil || ref.ValidateRepository() != nil {
		return ref, fmt.Errorf("%.200q is not the URL of a registry: write oci://host[:port]/prefix, the prefix in lower case and without a tag", address)
	}
	return ref, nil
}

// isLoopback reports whether a name or IP address, with or without a port, is this machine.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return name == "localhost" || err == nil && addr.IsLoopback()
}

var outsideNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// dirName returns the name of the directory for the mirror of a registry.
func dirName(ref registry.Reference) string {
	return outsideNames.ReplaceAllString(ref.Registry, "_") + "_" + strings.ReplaceAll(ref.Repository, "/", "+")
}
