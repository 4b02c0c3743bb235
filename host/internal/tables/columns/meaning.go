package columns

import (
	"fmt"
	"strconv"
	"time"
)

// HasText reports whether cells of the column have a text for readers.
func (c *Column) HasText() bool {
	switch c.Form.Means {
	case Duration, Interval, BSON, Int96:
		return false
	}
	return c.Kind != Unread && (c.Kind != Bytes || c.Form.Means == UUID)
}

// IsPlain reports whether cells of the column can be inputs of a calculation.
func (c *Column) IsPlain() bool {
	switch c.Form.Means {
	case Null:
		return c.Kind != Bytes || c.Form.Size == 0
	case JSON, Enum:
		return true
	}
	return false
}

// IntegerText returns the text of an integer: its meaning, or its digits.
func (c *Column) IntegerText(n int64) string {
	switch c.Form.Means {
	case Date:
		if c.Form.Bits == 32 {
			return time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)
		}
		return time.UnixMilli(n).UTC().Format(time.DateOnly)
	case Clock:
		return c.Form.Per.since1970(n).Format("15:04:05.999999999")
	case Timestamp:
		layout := "2006-01-02T15:04:05.999999999"
		if c.Form.Zone != "" {
			layout += "Z"
		}
		return c.Form.Per.since1970(n).Format(layout)
	}
	return strconv.FormatInt(n, 10)
}

// BytesText returns the text of bytes, or "" if they have none.
func (c *Column) BytesText(b string) string {
	if c.Form.Means == UUID && len(b) == uuidBytes {
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	return ""
}

const (
	uuidBytes     = 16
	int96Bytes    = 12
	intervalBytes = 12 // of Parquet
)

// seconds returns the number of units in a second.
func (u Unit) seconds() int64 { return [...]int64{1, 1e3, 1e6, 1e9}[u] }

// since1970 returns the time n units after 1970.
func (u Unit) since1970(n int64) time.Time {
	each := u.seconds()
	second := n / each
	if n%each < 0 {
		second--
	}
	return time.Unix(second, (n-second*each)*(1e9/each)).UTC()
}

// errNoForm returns the error for a column that a format cannot represent.
func errNoForm(c *Column, format string) error {
	return &FileError{Reason: fmt.Sprintf("column %q is of the type %s, which %s does not have", c.Name, c.Type, format)}
}
