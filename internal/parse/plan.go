package parse

import (
	"reflect"

	"github.com/pbemd/pbemd/internal/game"
)

// node is one thing ordered, before it is known whether it is a step or a
// reaction: an intent, or a condition with what hangs on it. Questions and
// problems that go with it vanish if it is taken back.
type node struct {
	intent   game.Intent
	cond     *branch
	attack   bool
	shotless bool // no number of shots was named
	ask      []game.Question
	told     []game.Problem
}

// branch is "if when then … else …".
type branch struct {
	when     game.Condition
	then     []node
	els      []node
	instead  bool   // "… instead": takes the place of the step before
	forced   string // "step" or "reaction"; "" lets the condition decide
	moving   bool   // "comes within", not "is within"
	held     bool   // fed by the hold step before it
	max      int
	until    string
	standing bool
	loose    bool // gives way to an order that says it better
	round    int
	comma    int // token behind the condition
	at       game.Span
}

// event reports a condition on what somebody does, which makes a reaction: a
// state at one's own turn makes a step.
func event(c game.Condition, moving bool) bool {
	switch c.Kind {
	case "declares", "attacks":
		return true
	case "within", "held":
		return moving
	case "enters", "leaves", "appears", "vanishes", "surrenders", "signal", "opens", "grenade_lands", "hit", "notice":
		return true
	}
	return false
}

// reaction reports whether the branch becomes a reaction.
func (b *branch) reaction() bool {
	switch {
	case b.forced == "step":
		return false
	case b.forced == "reaction":
		return true
	}
	return len(b.els) == 0 && !b.when.Not && event(b.when, b.moving)
}

// assemble turns the nodes of a letter into a plan's steps, reactions and
// standing orders, with the questions and problems that belong to them.
func (r *reader) assemble(nodes []node) {
	hold := -1
	nodes = firm(nodes)
	for _, n := range nodes {
		if r.stays && n.cond == nil && n.intent.Verb == "move" && n.intent.Pending == "" && n.intent.Round == 0 {
			n.intent.Pending = "contradiction"
			n.ask = append(n.ask, game.Question{Kind: "contradiction", Text: "You stay where you are, and you move: which of the two?", Choices: []string{"stay", "move"}, Default: "he stays", At: n.intent.At})
		}
		if r.holdsFire && n.cond == nil && n.attack && n.intent.Pending == "" && n.intent.Round == 0 {
			n.intent.Pending = "contradiction"
			n.ask = append(n.ask, game.Question{Kind: "contradiction", Text: "You hold your fire, and you attack: which of the two?", Choices: []string{"hold fire", "attack"}, Default: "the attack is not made", At: n.intent.At})
		}
		r.hand(n)
		if n.cond == nil && r.lx.verbs[n.intent.Verb].Class == "policy" {
			in := n.intent // a policy holds until it is changed
			r.out.Plan.Standing = append(r.out.Plan.Standing, game.Standing{Policy: &in})
			continue
		}
		if n.cond == nil {
			r.out.Plan.Steps = append(r.out.Plan.Steps, n.intent)
			if n.intent.Verb == "hold" {
				hold = len(r.out.Plan.Steps) - 1
			}
			continue
		}
		b := n.cond
		if !b.standing && !b.reaction() {
			r.out.Plan.Steps = append(r.out.Plan.Steps, b.step())
			continue
		}
		re := game.Reaction{When: hostile(b.when, b.then), Do: intents(b.then), Max: b.max, Until: b.until, Round: b.round, At: b.at}
		if b.standing {
			r.out.Plan.Standing = append(r.out.Plan.Standing, game.Standing{Reaction: &re})
			continue
		}
		if b.held && hold >= 0 {
			re.Slot = new(int)
			*re.Slot = hold
		}
		r.out.Plan.Reactions = append(r.out.Plan.Reactions, re)
	}
}

// firm drops a watch that another reaction to the same takes the place of.
func firm(nodes []node) []node {
	same := func(a, b game.Condition) bool {
		if reflect.DeepEqual(a, b) {
			return true
		}
		if a.Kind == "declares" && a.Act == "any" {
			return reflect.DeepEqual(a.Who, b.Who)
		}
		if a.Kind == "enters" {
			return a.Area == b.Area || a.Area == b.Object || a.Area == b.Of
		}
		return !a.Object.IsZero() && a.Object == b.Object
	}
	var out []node
	for i, n := range nodes {
		keep := true
		for j, m := range nodes {
			if n.cond != nil && n.cond.loose && j != i && m.cond != nil && !m.cond.loose && same(n.cond.when, m.cond.when) {
				keep = false
			}
		}
		if keep {
			out = append(out, n)
		}
	}
	return out
}

// step is the branch as an "if" intent.
func (b *branch) step() game.Intent {
	when := hostile(b.when, b.then)
	return game.Intent{Verb: "if", When: &when, Then: intents(b.then), Else: intents(b.els), Round: b.round, At: b.at}
}

func intents(nodes []node) []game.Intent {
	var all []game.Intent
	for _, n := range nodes {
		if n.cond != nil {
			all = append(all, n.cond.step())
			continue
		}
		all = append(all, n.intent)
	}
	return all
}

// hostile makes "anyone" an enemy where an attack hangs on it: a friend who
// walks by is not shot (SCHEMA 7.4).
func hostile(c game.Condition, then []node) game.Condition {
	attack := false
	for _, n := range then {
		attack = attack || n.attack
	}
	if !attack {
		return c
	}
	return eachCondition(c, func(c *game.Condition) {
		if len(c.Who) == 1 && c.Who[0] == game.Anyone {
			c.Who = game.Who{game.AnyEnemy}
		}
	})
}

func eachCondition(c game.Condition, do func(*game.Condition)) game.Condition {
	do(&c)
	for _, list := range []*[]game.Condition{&c.And, &c.Or} {
		var all []game.Condition
		for _, sub := range *list {
			all = append(all, eachCondition(sub, do))
		}
		*list = all
	}
	return c
}

// hand adds a node's questions and problems to the reading.
func (r *reader) hand(n node) {
	for _, q := range n.ask {
		r.out.Plan.Questions = append(r.out.Plan.Questions, q)
		r.out.Problems = append(r.out.Problems, game.Problem{
			Severity: game.Asked, Kind: q.Kind, Text: q.Text, Nearest: firstThree(q.Choices), Do: unanswered(q.Default), Source: r.source[q.At.Line], At: q.At,
		})
	}
	r.out.Problems = append(r.out.Problems, n.told...)
	if n.cond != nil {
		for _, sub := range n.cond.then {
			r.hand(sub)
		}
		for _, sub := range n.cond.els {
			r.hand(sub)
		}
	}
}

// unanswered says what happens if a question stays open.
func unanswered(silence string) string { return "Without an answer " + silence + "." }

func firstThree(s []string) []string {
	if len(s) > 3 {
		return s[:3]
	}
	return s
}
