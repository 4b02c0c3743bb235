package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// LibreOffice gets numbers into cells, computes with them, and shows errors if it requests them as text. It reads
// the output table of a batch, decimal commas included.
func TestLibreOffice(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak sheets asks LibreOffice")
	}
	h := startAll(t)
	dir := t.TempDir()
	profile := "-env:UserInstallation=file://" + filepath.Join(dir, "profile")
	office := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "soffice", append([]string{profile, "--headless", "--norestore"}, args...)...)
	}
	value := h.url + "/api/v1/value/ohms-law?"
	formulas := []string{
		`=WEBSERVICE("` + value + `V=12&R=8&output=current&calculation_version=1.0.0")`,
		`=NUMBERVALUE(WEBSERVICE("` + value + `output=current&V="&ENCODEURL(B1)&"&R="&ENCODEURL(B2)&"%20kohm&unit=mA");".")*2`,
		`=WEBSERVICE("` + value + `V=12")`,
		`=WEBSERVICE("` + value + `V=12&errors=text")`,
		`=WEBSERVICE("` + value + `V=12&R=8")`,
		`=NUMBERVALUE(WEBSERVICE("` + value + `V=1,5&R=0,5&output=current&decimal=comma");",")`,
	}
	list := filepath.Join(dir, "formulas")
	if err := os.WriteFile(list, []byte(strings.Join(formulas, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := fmt.Sprintf("slipstick%d", os.Getpid())
	server := office("--accept=pipe,name=" + pipe + ";urp")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	ask := exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/spreadsheet.py", pipe, list)
	ask.Stderr = &errs
	out, err := ask.Output()
	if err != nil {
		_ = server.Process.Kill()
		t.Errorf("%v: %s", err, errs.String())
	}
	_ = server.Wait()
	var cells []struct {
		Shows  string
		Number float64
		Error  int
	}
	if err := json.Unmarshal(out, &cells); err != nil || len(cells) != len(formulas) {
		t.Fatalf("%v: %s", err, out)
	}
	const missing = "MISSING_REQUIRED_INPUT: the calculation needs exactly two of voltage, current, resistance and power, and only voltage is given. Give one of current, resistance, power."
	for i, want := range []string{"1.5", "3", "#VALUE!", missing, "voltage [V],current [A],resistance [ohm],power [W]\n12,1.5,8,18\n", "3"} {
		if cells[i].Shows != want {
			t.Errorf("%s shows %q, want %q", formulas[i], cells[i].Shows, want)
		}
	}
	if cells[1].Number != 3 || cells[5].Number != 3 {
		t.Errorf("cells do not compute on: %+v", cells)
	}

	// The table is sent as a European spreadsheet writes it, and comes back as numbers.
	table := write(t, "wires.csv", "\ufeffwire;V;R [kohm]\r\nred;1,5;0,5\r\n\"blue; thin\";12,25;8\r\n")
	answer := filepath.Join(dir, "answer.csv")
	if got := calcOn(t, "", "--batch", table, "--output", "csv", "--out", answer, "--decimal", "comma", "--unit", "current=mA", "ohms-law"); got.code != exitOK {
		t.Fatal(got)
	}
	const semicolonsInGerman = "59,34,76,1,,1031,false,true" // separator, quote, UTF-8, first line, formats, language, quoted texts, recognition of numbers
	convert := office("--infilter=Text - txt - csv (StarCalc):"+semicolonsInGerman, "--convert-to", "fods", "--outdir", dir, answer)
	if out, err := convert.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	sheet, err := os.ReadFile(filepath.Join(dir, "answer.fods"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{`office:value="1.53125"`, `office:value="0.0045"`, `office:value="3"`, "<text:p>blue; thin</text:p>", "<text:p>current [mA]</text:p>"} {
		if !strings.Contains(string(sheet), cell) {
			t.Errorf("the sheet has no %s", cell)
		}
	}
}
