package game

// Guide is what a system tells somebody of its orders: how a turn goes, what he
// can write in his own words, and where the numbers come from. It is made from
// the system's data and from one view, so it knows nothing that the viewer does
// not.
type Guide struct {
	Title    string // the system's name for people
	Unbuilt  bool   // no game of it can be played yet
	Sections []GuideSection
}

// GuideSection is one heading of a guide. All sections of a system stand in each
// of its guides, in the same order; one may be empty.
type GuideSection struct {
	Title  string
	Text   []string // paragraphs
	Steps  []string // what happens one after another
	Rows   []Line   // of a table
	Marks  string   // what the marks in the rows mean; empty: they bear none
	Orders []GuideOrder
	Needy  bool // without orders the text says nothing

	Players bool // it is not for the GM
}

// GuideOrder is one order as the viewer could write it.
type GuideOrder struct {
	Verb  string   // of the vocabulary; ask: a question to the GM
	Form  string   // as it stands in the system's data
	Write []string // what he writes: the first of them that can be carried out as things stand
	Says  string   // what it does, needs and costs; may be empty
}
