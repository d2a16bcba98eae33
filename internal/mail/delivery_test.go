package mail

import "testing"

func TestWhoseFaultADeliveryReportSays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		bounce              Bounce
		failed, unreachable bool
	}{
		{Bounce{}, false, false},
		{Bounce{Action: "failed", Status: "5.1.1"}, true, true},
		{Bounce{Action: "failed", Status: "5.2.2"}, true, true},
		{Bounce{Action: "failed", Status: "5.0.0"}, true, true},
		{Bounce{Action: "failed"}, true, true},
		{Bounce{Action: "failed", Status: "5.7.1"}, true, false},
		{Bounce{Action: "failed", Status: "5.4.4"}, true, false},
		{Bounce{Action: "failed", Status: "4.4.7"}, false, false},
		{Bounce{Action: "delayed", Status: "5.1.1"}, false, false},
		{Bounce{Action: "delivered", Status: "2.1.5"}, false, false},
		{Bounce{Status: "5.1.1"}, false, false},
	}
	for _, tt := range tests {
		if tt.bounce.Failed() != tt.failed || tt.bounce.Unreachable() != tt.unreachable {
			t.Errorf("%+v: failed %v, unreachable %v", tt.bounce, tt.bounce.Failed(), tt.bounce.Unreachable())
		}
	}
}

func TestReportsForPeopleAreUnderstood(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want Bounce
	}{
		{"Hello.\nbob@b.test: 550 5.1.1 User unknown\n", Bounce{"failed", "5.1.1", "bob@b.test: 550 5.1.1 User unknown"}},
		{"host said: 550 No such user\n", Bounce{"failed", "", "host said: 550 No such user"}},
		{"(reason: 452 4.2.2 over quota)\n", Bounce{"delayed", "4.2.2", "(reason: 452 4.2.2 over quota)"}},
		{"from 192.0.2.5.1.1 and [5.1.1.1] at 5.30\n", Bounce{}},
		{"It was sent in 1550 and 4500 times.\n", Bounce{}},
		{"Below is your letter.\nReceived: by x\n550 5.1.1 quoted\n", Bounce{}},
		{"Action: failed\nStatus: 5.2.1\nDiagnostic-Code: smtp; 550 gone\n", Bounce{"failed", "5.2.1", "550 gone"}},
	}
	for _, tt := range tests {
		if got := readDeliveryText(tt.text); got != tt.want {
			t.Errorf("%q: %+v, want %+v", tt.text, got, tt.want)
		}
	}
}
