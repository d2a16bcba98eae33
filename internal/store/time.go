package store

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// timeText is of fixed width, so that text order is time order on SQLite, and
// it is valid input for PostgreSQL's TIMESTAMPTZ.
const timeText = "2006-01-02T15:04:05.000000Z"

// Time is a time.Time in a column: UTC, truncated to the microsecond, NULL for
// the zero time. A bare time.Time parameter silently matches nothing on SQLite;
// txn converts every time.Time argument, and scans go through (*Time)(&t).
type Time time.Time

// Value writes the fixed-width text. Years outside 1 to 9999 are an error.
func (t Time) Value() (driver.Value, error) {
	u := time.Time(t)
	if u.IsZero() {
		return nil, nil
	}
	u = u.UTC()
	if y := u.Year(); y < 1 || y > 9999 {
		return nil, fmt.Errorf("storing a time: year %d is not in 1 to 9999", y)
	}
	return u.Truncate(time.Microsecond).Format(timeText), nil
}

// Scan reads NULL, SQLite's text and PostgreSQL's time.Time; the result is UTC.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case time.Time:
		*t = Time(v.UTC())
	case []byte:
		return t.Scan(string(v))
	case string:
		u, err := time.Parse(timeText, v)
		if err != nil {
			return fmt.Errorf("reading a stored time: %w", err)
		}
		*t = Time(u)
	default:
		return fmt.Errorf("reading a stored time: %T is not a time", src)
	}
	return nil
}
