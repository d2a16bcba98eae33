package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jhillyerd/enmime/v2"

	"github.com/pbemd/pbemd/internal/dice"
)

// runVerify checks the dice of mails that pbemd sent: what was sealed before the
// orders came in must be what the report reveals, and give the dice it prints.
func runVerify(env environment, args []string) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		fmt.Fprintln(env.stderr, "usage: pbemd verify FILE…   (opening, receipts and report of a turn, as .eml or text)")
		return exitUsage
	}
	turns := map[int][]dice.Block{}
	var order []int
	for _, f := range args {
		raw, err := os.ReadFile(f)
		if err != nil {
			return fail(env, fmt.Errorf("reading a mail: %w", err))
		}
		blocks, err := blocksOf(raw)
		if err != nil {
			return fail(env, fmt.Errorf("%s: %w", f, err))
		}
		if len(blocks) == 0 {
			fmt.Fprintf(env.stderr, "%s holds no dice block\n", f)
		}
		for _, b := range blocks {
			if turns[b.Turn] == nil {
				order = append(order, b.Turn)
			}
			turns[b.Turn] = append(turns[b.Turn], b)
		}
	}
	if len(order) == 0 {
		return fail(env, fmt.Errorf("none of the files holds a block that begins \"pbemd-dice 1\""))
	}
	bad := 0
	for _, n := range order {
		// A receipt shows a leaf as it then stood; the report's, which comes with
		// the lock, is the one that counts.
		slices.SortStableFunc(turns[n], func(a, b dice.Block) int { return boolRank(a.Lock != nil) - boolRank(b.Lock != nil) })
		b, err := dice.Merge(turns[n]...)
		if err != nil {
			return fail(env, fmt.Errorf("turn %d: %w", n, err))
		}
		fmt.Fprintf(env.stdout, "%s turn %d\n", b.Game, n)
		if len(b.Secrets) == 0 {
			fmt.Fprintln(env.stdout, "  sealed  nothing is revealed before the turn's report")
		}
		for _, f := range dice.Verify(b, b.Lock != nil && len(b.Secrets) > 0) {
			fmt.Fprintf(env.stdout, "  %-7s %s: %s\n", f.Result, f.About, f.Why)
			if f.Result == dice.Wrong {
				bad++
			}
		}
	}
	if bad > 0 {
		return fail(env, fmt.Errorf("the dice do not agree with their seals; lines that are wrong: %d", bad))
	}
	return exitDone
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// blocksOf finds every dice block of a mail or of its text.
func blocksOf(raw []byte) ([]dice.Block, error) {
	text := string(raw)
	if env, err := enmime.ReadEnvelope(bytes.NewReader(raw)); err == nil && strings.TrimSpace(env.Text) != "" {
		text = env.Text
	}
	var out []dice.Block
	for {
		i := strings.Index(text, "pbemd-dice 1")
		if i < 0 {
			return out, nil
		}
		b, ok, err := dice.ReadBlock(text[i:])
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, b)
		}
		text = text[i+len("pbemd-dice 1"):]
	}
}
