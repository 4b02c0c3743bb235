package versions_test

import (
	"fmt"

	"github.com/slipstick/slipstick/versions"
)

func Example() {
	published, current := []string{"1.0.0", "1.1.0", "2.0.0"}, "2.0.0"

	pins := versions.Header([]string{"1.1.0"})
	pins = append(pins, versions.Pin{Place: versions.InBody, Name: "calculation_version", Value: "1.1.0"})
	version, pinned, err := versions.Agree(pins)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(versions.Resolve(version, pinned, published, current))
	// Output:
	// 1.1.0 <nil>
}

func ExampleAgree_conflict() {
	_, _, err := versions.Agree(versions.Header([]string{"1.0.0, 2.0.0"}))
	fmt.Println(err)
	// Output:
	// version pins disagree: header Service-Spec-Version "1.0.0", header Service-Spec-Version "2.0.0"; give the same version in every place, or in one only
}

func ExampleAgree_invalid() {
	_, _, err := versions.Agree([]versions.Pin{{Place: versions.InQuery, Name: "calculation_version", Value: ""}})
	fmt.Println(err)
	// Output:
	// query calculation_version: found an empty string, expected a version; give a version such as "1.0.0" or leave the pin out
}

func ExampleResolve_mismatch() {
	_, err := versions.Resolve("v1.0.0", true, []string{"1.0.0", "1.1.0"}, "1.1.0")
	fmt.Println(err)
	// Output:
	// version "v1.0.0" is not published; leave the pin out for 1.1.0, or pin exactly one of 1.1.0, 1.0.0
}

func ExampleNewest() {
	fmt.Println(versions.Newest([]string{"1.9.0", "2.0.0-rc.1", "1.10.0", "2.0.0"}))
	// Output:
	// [2.0.0 2.0.0-rc.1 1.10.0 1.9.0]
}

func ExampleCompatible() {
	fmt.Println(versions.Compatible("1.2.0", "1.10.0"), versions.Compatible("1.2.0", "2.0.0"))
	// Output:
	// true false
}
