package enginefile_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/sdk/enginefile"
)

// An engine file is a runtime with a document.
func ExampleJoin() {
	var file bytes.Buffer
	err := enginefile.Join(&file, strings.NewReader("the bytes of an executable"), &enginefile.Text{Document: []byte("# Disc\n")})
	if err != nil {
		fmt.Println(err)
		return
	}
	read, err := enginefile.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes of runtime, document %q\n", read.Runtime.Size, read.Document)
	// Output: 26 bytes of runtime, document "# Disc\n"
}
