package table

import (
	"encoding/hex"
	"testing"
)

// Records of batches contain a digest of the encoded rows. So the encoding never changes.
func TestCellEncodingIsStable(t *testing.T) {
	row := appendTruth(appendInteger(appendNumber(appendBlank(appendText(nil, "1,5 m")), 0.1), -2), true)
	const want = "0105312c35206d" + "00" + "029a9999999999b93f" + "03feffffffffffffff" + "0401"
	if got := hex.EncodeToString(row); got != want {
		t.Errorf("the row is\n%s\nand was\n%s", got, want)
	}
}
