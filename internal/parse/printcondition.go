package parse

import (
	"fmt"
	"strings"

	"github.com/pbemd/pbemd/internal/game"
)

// PhraseReaction writes a reaction as an order.
func PhraseReaction(re game.Reaction, v game.Vocabulary) string {
	s := "if " + phraseCondition(re.When, v, true)
	if re.Max > 0 {
		s += ", at most " + counted(re.Max)
	}
	switch re.Until {
	case "end_of_turn":
		s += ", until the end of the turn"
	case "next_turn":
		s += ", until next turn"
	case "cancelled":
		s += ", until cancelled"
	}
	s += ", " + group(re.Do, v)
	if re.When.Not || !event(re.When, true) {
		s = "as a reaction, " + s
	}
	return round(re.Round) + s
}

// PhraseCondition writes a condition as a player would: "Zog is within 10 m of me".
func PhraseCondition(c game.Condition, v game.Vocabulary) string { return phraseCondition(c, v, false) }

func phraseCondition(c game.Condition, v game.Vocabulary, moving bool) string {
	s := phraseTest(c, v, moving && !c.Not)
	sub := func(c game.Condition) string {
		t := phraseCondition(c, v, false)
		if len(c.And)+len(c.Or) > 0 {
			return "(" + t + ")"
		}
		return t
	}
	for _, a := range c.And {
		s += " and " + sub(a)
	}
	for _, o := range c.Or {
		s += " or " + sub(o)
	}
	return s
}

func phraseTest(c game.Condition, v game.Vocabulary, moving bool) string {
	not := func(yes, no string) string {
		if c.Not {
			return no
		}
		return yes
	}
	if s := phraseHappening(c, v); s != "" {
		return s
	}
	value := 0
	if c.Value != nil {
		value = *c.Value
	}
	switch c.Kind {
	case "down":
		if c.Object.ID == game.Me {
			return not("I am down", "I am not down")
		}
		return refName(c.Object, v) + not(" is down", " is not down")
	case "los":
		return not("I see ", "I do not see ") + whoNames(c.Who, v)
	case "within":
		d := ""
		if c.Distance != nil {
			d = c.Distance.String()
		}
		verb := not(" is within ", " is not within ")
		if moving {
			verb = " comes within "
		}
		of := "me"
		if !c.Of.IsZero() && c.Of.ID != game.Me {
			of = refName(c.Of, v)
		}
		return whoNames(c.Who, v) + verb + d + " of " + of
	case "sta":
		whose := "my"
		if c.Object.ID != game.Me {
			whose = refName(c.Object, v) + "'s"
		}
		return fmt.Sprintf("%s stamina is%s %s %d", whose, not("", " not"), opWords[c.Op], value)
	case "ammo":
		return fmt.Sprintf("my %s %s %s %d shots", thingName(c.Weapon, v), not("has", "does not have"), opWords[c.Op], value)
	case "impossible":
		return "that is impossible"
	case "declares":
		act := c.Act
		w, ok := actWords[act]
		if !ok {
			w = actWords["any"]
		}
		s := whoNames(c.Who, v) + not(" "+w[0], " does not "+w[1])
		if !c.Object.IsZero() {
			if w[2] != "" {
				s += " " + w[2]
			}
			s += " " + refName(c.Object, v)
		}
		return s
	}
	return strings.ReplaceAll(c.Kind, "_", " ")
}

// counted says how often.
func counted(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
