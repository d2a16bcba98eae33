package store

import (
	"testing"
	"time"
)

func TestTimesComeBackInUTCToTheMicrosecond(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		in, want time.Time
	}{
		{"zero", time.Time{}, time.Time{}},
		{"whole second", noon, noon},
		{"nanoseconds are cut", noon.Add(1_999), noon.Add(time.Microsecond)},
		{"before 1970", time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)},
		{"summer time's doubled hour", time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC).In(berlin), time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)},
		{"first year", time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)},
		{"last year", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
	}
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		turn := b.snap().Turn.ID
		for _, tt := range tests {
			if _, err := b.db.Exec(`UPDATE turn SET remind_at = $2 WHERE id = $1`, turn, Time(tt.in)); err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if got := b.snap().Turn.RemindAt; got != tt.want {
				t.Errorf("%s: %v came back as %v, want %v", tt.name, tt.in, got, tt.want)
			}
		}
		if _, err := b.db.Exec(`UPDATE turn SET remind_at = $1`, Time(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))); err == nil {
			t.Error("year 10000 was stored")
		}
	})
}

func TestRangesOfTimesAreOfInstants(t *testing.T) {
	both(t, func(t *testing.T, dsn string) {
		b := newBench(t, Options{DSN: dsn, NoJobs: true})
		east := time.FixedZone("east", 14*3600)
		tests := []struct {
			name string
			now  time.Time
			want bool
		}{
			{"a microsecond before", deadline.Add(-time.Microsecond), false},
			{"the instant", deadline, true},
			{"the instant in a zone where it is tomorrow", deadline.In(east), true},
			{"a microsecond before, in that zone", deadline.Add(-time.Microsecond).In(east), false},
			{"a nanosecond before counts as the microsecond before", deadline.Add(-1), false},
			{"a year after", deadline.AddDate(1, 0, 0), true},
		}
		for _, tt := range tests {
			due, err := b.Due(b.ctx, tt.now, 10)
			b.must(err)
			got := false
			for _, w := range due {
				got = got || w.Kind == DoClose && w.At.Equal(deadline)
			}
			if got != tt.want {
				t.Errorf("%s: the close is due: %v, want %v", tt.name, got, tt.want)
			}
		}
	})
}

func TestScanRefusesWhatIsNoTime(t *testing.T) {
	t.Parallel()
	for _, v := range []any{int64(5), "yesterday", "2026-03-01 12:00:00"} {
		if err := new(Time).Scan(v); err == nil {
			t.Errorf("%v was read as a time", v)
		}
	}
}

func TestIDsRise(t *testing.T) {
	t.Parallel()
	g := newIDs()
	last := int64(0)
	for i := range 10_000 { // the clock stands, jumps and goes back
		now := noon.Add(time.Duration(i/1000%3) * time.Hour)
		if id := g.next(now); id <= last {
			t.Fatalf("id %d after %d", id, last)
		} else {
			last = id
		}
	}
}
