package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a zone must mean the same on every machine

	"github.com/robfig/cron/v3"
)

// maxSchedule is how many characters a schedule may have.
const maxSchedule = 200

// NextDeadline is the first instant of a schedule that is at least minTurn
// after the given one. spec is a cron line of five fields (minute, hour, day,
// month, weekday), read on the clocks of the IANA zone. A time of day that the
// clocks skip in spring falls on the end of the gap; one that they show twice
// in autumn counts once, the first time. (A schedule for every hour, whose hour
// field is *, simply goes on by the clock.) A schedule that never comes true is
// an error.
func NextDeadline(spec, zone string, after time.Time, minTurn time.Duration) (time.Time, error) {
	schedule, err := parseSchedule(spec)
	if err != nil {
		return time.Time{}, err
	}
	loc, err := loadZone(zone)
	if err != nil {
		return time.Time{}, err
	}
	earliest := after.Add(max(minTurn, 0))
	hourly := schedule.Hour&starBit != 0

	// The library steps over wall-clock times written as if they were UTC, where
	// nothing is skipped or doubled; what each means in the zone is ours to say.
	// It begins a day early, since clocks have been moved by as much.
	var best time.Time
	for wall := schedule.Next(wallOf(earliest.In(loc)).Add(-25 * time.Hour)); !wall.IsZero(); wall = schedule.Next(wall) {
		times, skipped := instants(wall, loc)
		if !best.IsZero() && !times[0].Before(best) {
			break
		}
		switch {
		case hourly && skipped:
			continue
		case !hourly:
			times = times[:1]
		}
		for _, t := range times {
			if !t.Before(earliest) && (best.IsZero() || t.Before(best)) {
				best = t
			}
		}
	}
	if best.IsZero() {
		return time.Time{}, fmt.Errorf("the schedule %q never comes true", spec)
	}
	return best.In(loc), nil
}

// starBit marks a cron field that was written as *.
const starBit = 1 << 63

// parseSchedule reads a cron line of five fields. Everything else that the
// library takes is refused: a zone in the line makes it panic, and @every has no
// hour of the day.
func parseSchedule(spec string) (schedule *cron.SpecSchedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			schedule, err = nil, fmt.Errorf("%q is not a schedule: %v", spec, r)
		}
	}()
	const want = `five fields are wanted: minute, hour, day, month, weekday, such as "0 20 * * *" for 20:00 every day`
	switch {
	case len(spec) > maxSchedule:
		return nil, fmt.Errorf("the schedule is longer than %d characters; %s", maxSchedule, want)
	case strings.Contains(spec, "TZ="):
		return nil, errors.New("a schedule holds no zone: it goes into its own key, zone")
	case strings.HasPrefix(strings.TrimSpace(spec), "@"):
		return nil, fmt.Errorf("%q is not a schedule here; %s", spec, want)
	}
	s, err := cron.ParseStandard(spec)
	if err != nil {
		return nil, fmt.Errorf("%q is not a schedule (%w); %s", spec, err, want)
	}
	schedule, ok := s.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("%q is not a schedule here; %s", spec, want)
	}
	schedule.Location = time.UTC
	return schedule, nil
}

// loadZone finds an IANA zone such as Europe/Berlin. The machine's own zone is
// refused: it is another on another machine.
func loadZone(zone string) (*time.Location, error) {
	if zone == "" || zone == "Local" {
		return nil, fmt.Errorf("%q is not a zone; one such as Europe/Berlin or UTC is wanted", zone)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("%q is not a zone; one such as Europe/Berlin or UTC is wanted", zone)
	}
	return loc, nil
}

// wallOf is what the clock on the wall shows, written as UTC.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.Add(time.Duration(offset) * time.Second).UTC()
}

// instants lists when the clocks of a zone show a wall time: once, twice in
// autumn, or, when they skip it, the end of the gap.
func instants(wall time.Time, loc *time.Location) (times []time.Time, skipped bool) {
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, loc)
	start, end := near.ZoneBounds()
	around := []time.Time{near}
	for _, change := range []time.Time{start, end} {
		if !change.IsZero() {
			around = append(around, change.Add(-time.Second), change)
		}
	}
	for _, t := range around {
		_, offset := t.Zone()
		at := wall.Add(-time.Duration(offset) * time.Second).In(loc)
		if wallOf(at).Equal(wall) {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, func(a, b time.Time) int { return a.Compare(b) })
	times = slices.CompactFunc(times, time.Time.Equal)
	if len(times) > 0 {
		return times, false
	}
	gap := start
	if !end.IsZero() && cmp.Compare(wallOf(end).Sub(wall), 0) > 0 && wallOf(end.Add(-time.Second)).Before(wall) {
		gap = end
	}
	return []time.Time{gap}, true
}
