package formula

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/sdk/value"
)

// Table is a constant list of records with a name in the text. Each row has one cell for each column.
type Table struct {
	Name    string     `json:"name"`    // in the formula
	Columns []Column   `json:"columns"` // in the order of the cells
	Rows    [][]string `json:"rows"`    // words, and numbers as decimals or fractions in the unit of their column; "" is an absent number
}

// Column is a column of a [Table].
type Column struct {
	Name string `json:"name"`           // of the member of each record
	Unit string `json:"unit,omitempty"` // of its numbers, a coherent one of SI
	Word bool   `json:"word,omitempty"` // the cells are words
}

// WithTables returns the text with constant tables. The error names the first cell that is not a number.
func (t *Text) WithTables(tables []Table) (*Text, error) {
	of := *t
	of.tables, of.tableSymbols, of.tableValues = map[string]val{}, nil, map[string]value.Value{}
	for i := range tables {
		table := &tables[i]
		symbol := Symbol{Name: table.Name, Kind: ListField, Constant: true, Item: &Symbol{Kind: RecordField}}
		for k, c := range table.Columns {
			member := Symbol{Name: c.Name, Unit: c.Unit}
			if c.Word {
				member.Kind = WordField
				for _, row := range table.Rows {
					if k < len(row) && !slices.Contains(member.Values, row[k]) {
						member.Values = append(member.Values, row[k])
					}
				}
			}
			symbol.Item.Members = append(symbol.Item.Members, member)
		}
		list := val{kind: listKind}
		for n, row := range table.Rows {
			record, err := table.record(row)
			if err != nil {
				return nil, fmt.Errorf("row %d of table %s: %w", n+1, table.Name, err)
			}
			list.list = append(list.list, record)
		}
		of.tables[table.Name] = list
		if decimals, ok := table.value(); ok {
			of.tableValues[table.Name] = decimals
		}
		of.tableSymbols = append(of.tableSymbols, symbol)
	}
	return &of, nil
}

// record returns a row of a table.
func (t *Table) record(row []string) (val, error) {
	if len(row) != len(t.Columns) {
		return val{}, fmt.Errorf("%d cells for %d columns", len(row), len(t.Columns))
	}
	fields := map[string]val{}
	for k, c := range t.Columns {
		if c.Word {
			fields[c.Name] = val{kind: textKind, text: row[k]}
			continue
		}
		if row[k] == "" {
			fields[c.Name] = val{}
			continue
		}
		x, ok := new(big.Rat).SetString(row[k])
		if !ok || bits(x) > maxExactBits {
			return val{}, fmt.Errorf("%.80q is not a number", row[k])
		}
		fields[c.Name] = ofNumber(exactly(x))
	}
	return val{kind: recordKind, fields: fields}, nil
}

// value returns the table as a list of records. It is false if a number is not a decimal.
func (t *Table) value() (value.Value, bool) {
	rows := make([]value.Value, len(t.Rows))
	for i, row := range t.Rows {
		cells := make([]value.Value, len(row))
		for k, c := range t.Columns {
			switch {
			case c.Word:
				cells[k] = value.TextOf(row[k])
				continue
			case row[k] == "":
				continue
			}
			x, _ := new(big.Rat).SetString(row[k]) // record has read it
			decimals, isExact := x.FloatPrec()
			if !isExact {
				return value.Value{}, false
			}
			cells[k] = value.ExactOf(x.FloatString(decimals))
		}
		rows[i] = value.RecordOf(cells...)
	}
	return value.ListOf(rows...), true
}

// membersOf returns the list of one member of the records in a list.
func (v val) membersOf(name string) val {
	list := val{kind: listKind, before: v.before, list: make([]val, len(v.list))}
	for i, item := range v.list {
		list.list[i] = item.want(recordKind).fields[name]
	}
	return list
}
