package scenario

import (
	"strings"
	"testing"
	"time"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNextDeadline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, spec, zone, after string
		minTurn                 time.Duration
		want                    string
	}{
		{"the same evening", "0 20 * * *", "Europe/Berlin", "2026-05-04T06:00:00Z", 0, "2026-05-04T18:00:00Z"},
		{"too soon, so the next evening", "0 20 * * *", "Europe/Berlin", "2026-05-04T06:00:01Z", 12 * time.Hour, "2026-05-05T18:00:00Z"},
		{"exactly as long as a turn must be", "0 20 * * *", "Europe/Berlin", "2026-05-04T06:00:00Z", 12 * time.Hour, "2026-05-04T18:00:00Z"},
		{"now counts when nothing is the least", "0 20 * * *", "Europe/Berlin", "2026-05-04T18:00:00Z", 0, "2026-05-04T18:00:00Z"},
		{"a fraction of a second is too late", "0 20 * * *", "Europe/Berlin", "2026-05-04T18:00:00.5Z", 0, "2026-05-05T18:00:00Z"},
		{"weekdays", "30 19 * * 1,4", "Europe/Berlin", "2026-05-05T00:00:00Z", time.Hour, "2026-05-07T17:30:00Z"},
		{"leap day", "0 12 29 2 *", "UTC", "2026-01-01T00:00:00Z", 0, "2028-02-29T12:00:00Z"},

		{"Berlin: skipped in spring", "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", time.Hour, "2026-03-29T01:00:00Z"},
		{"Berlin: the first minute of the gap", "0 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", time.Hour, "2026-03-29T01:00:00Z"},
		{"Berlin: the end of the gap itself", "0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", time.Hour, "2026-03-29T01:00:00Z"},
		{"Berlin: the day after the gap", "30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:01Z", 0, "2026-03-30T00:30:00Z"},
		{"Berlin: doubled in autumn", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", time.Hour, "2026-10-25T00:30:00Z"},
		{"Berlin: not again an hour later", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:01Z", 0, "2026-10-26T01:30:00Z"},
		{"Berlin: every minute goes on in autumn", "* * * * *", "Europe/Berlin", "2026-10-25T01:00:30Z", 15 * time.Second, "2026-10-25T01:01:00Z"},
		{"Berlin: every minute goes on in spring", "* * * * *", "Europe/Berlin", "2026-03-29T00:59:30Z", 15 * time.Second, "2026-03-29T01:00:00Z"},
		{"Berlin: half past every hour in spring", "30 * * * *", "Europe/Berlin", "2026-03-29T00:45:00Z", 0, "2026-03-29T01:30:00Z"},

		{"Santiago: midnight is skipped", "0 0 * * *", "America/Santiago", "2026-09-05T20:00:00Z", time.Hour, "2026-09-06T04:00:00Z"},
		{"Santiago: half past midnight is skipped", "30 0 * * *", "America/Santiago", "2026-09-05T20:00:00Z", time.Hour, "2026-09-06T04:00:00Z"},
		{"Santiago: doubled before midnight", "30 23 * * *", "America/Santiago", "2026-04-04T20:00:00Z", time.Hour, "2026-04-05T02:30:00Z"},
		{"Santiago: not again an hour later", "30 23 * * *", "America/Santiago", "2026-04-05T02:30:01Z", 0, "2026-04-06T03:30:00Z"},

		{"Lord Howe: half an hour is skipped", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", time.Hour, "2026-10-03T15:30:00Z"},
		{"Lord Howe: half an hour is doubled", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", time.Hour, "2026-04-04T14:45:00Z"},
		{"Lord Howe: not again half an hour later", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:45:01Z", 0, "2026-04-05T15:15:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := NextDeadline(c.spec, c.zone, at(t, c.after), c.minTurn)
			if err != nil {
				t.Fatal(err)
			}
			if want := at(t, c.want); !got.Equal(want) {
				t.Errorf("got %s, want %s", got.UTC().Format(time.RFC3339), c.want)
			}
			if got.Location().String() != c.zone {
				t.Errorf("the deadline is told in %s", got.Location())
			}
		})
	}
}

func TestSchedulesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, spec, zone, want string }{
		{"a zone in the line", "CRON_TZ=Europe/Berlin 0 20 * * *", "UTC", "own key"},
		{"a zone that would panic", "CRON_TZ=", "UTC", "own key"},
		{"the older word for it", "TZ=UTC 0 20 * * *", "UTC", "own key"},
		{"an interval", "@every 5m", "UTC", "five fields"},
		{"a word", "@daily", "UTC", "five fields"},
		{"no fields", "", "UTC", "five fields"},
		{"six fields", "0 0 20 * * *", "UTC", "five fields"},
		{"hour 25", "0 25 * * *", "UTC", "five fields"},
		{"too long", strings.Repeat("0 ", 200), "UTC", "longer than"},
		{"never", "0 0 30 2 *", "UTC", "never comes true"},
		{"no zone", "0 20 * * *", "", "not a zone"},
		{"the machine's zone", "0 20 * * *", "Local", "not a zone"},
		{"no such zone", "0 20 * * *", "Europe/Berlín", "not a zone"},
		{"a path", "0 20 * * *", "../etc/passwd", "not a zone"},
	} {
		got, err := NextDeadline(c.spec, c.zone, at(t, "2026-05-04T06:00:00Z"), 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", c.name, got, err, c.want)
		}
	}
}

// One deadline a day, rising, never closer than a turn must be, whatever the
// clocks do.
func TestDeadlinesOfAWholeYear(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "UTC"} {
		for _, spec := range []string{"0 20 * * *", "30 2 * * *", "15 2 * * *", "45 1 * * *", "0 0 * * *", "30 23 * * *"} {
			const minTurn = 12 * time.Hour
			now := at(t, "2026-01-01T00:00:00Z")
			days := map[string]bool{}
			for range 365 {
				next, err := NextDeadline(spec, zone, now, minTurn)
				if err != nil {
					t.Fatal(err)
				}
				if next.Sub(now) < minTurn {
					t.Errorf("%s in %s: %s is less than %s after %s", spec, zone, next, minTurn, now)
				}
				if next.Sub(now) > 38*time.Hour {
					t.Errorf("%s in %s: nothing between %s and %s", spec, zone, now, next)
				}
				if day := next.Format(time.DateOnly); days[day] {
					t.Errorf("%s in %s: %s has two", spec, zone, day)
				} else {
					days[day] = true
				}
				now = next
			}
		}
	}
}

func FuzzNextDeadline(f *testing.F) {
	f.Add("0 20 * * *", "Europe/Berlin", int64(1772000000))
	f.Add("30 2 * * *", "Australia/Lord_Howe", int64(1775000000))
	f.Add("*/7 0-23/2 * 1-12 1-5", "America/Santiago", int64(1790000000))
	f.Fuzz(func(t *testing.T, spec, zone string, unix int64) {
		after := time.Unix(unix%4102444800, 0)
		next, err := NextDeadline(spec, zone, after, time.Minute)
		if err == nil && next.Before(after.Add(time.Minute)) {
			t.Errorf("%q in %s: %s is too close to %s", spec, zone, next, after)
		}
	})
}
