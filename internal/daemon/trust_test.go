package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pbemd/pbemd/internal/mail"
	"github.com/pbemd/pbemd/internal/store"
)

// TestTrustTable is the table of design section 7, cell by cell: token x address
// x authentication x what is asked x role.
func TestTrustTable(t *testing.T) {
	t.Parallel()
	rights := []right{rightLight, rightOrders, rightTurn, rightProof, rightLock}
	cells := []struct {
		name  string
		trust trust
		want  [5]decision // by rights
	}{
		// failed: held, whatever else
		{"player, token, failed", trust{role: rolePlayer, token: tokenValid, address: addressRegistered, auth: mail.AuthFailed}, [5]decision{hold, hold, hold, hold, hold}},
		{"gm, token, failed", trust{role: roleGM, token: tokenValid, release: true, address: addressRegistered, auth: mail.AuthFailed}, [5]decision{hold, hold, hold, hold, hold}},
		{"player, no token, failed", trust{role: rolePlayer, address: addressRegistered, auth: mail.AuthFailed}, [5]decision{hold, hold, hold, hold, hold}},
		{"gm, old token, failed", trust{role: roleGM, token: tokenStale, address: addressRegistered, auth: mail.AuthFailed}, [5]decision{hold, hold, hold, hold, hold}},
		// token, registered, verified: all
		{"player, token, verified", trust{role: rolePlayer, token: tokenValid, address: addressRegistered, auth: mail.AuthVerified}, [5]decision{doIt, doIt, doIt, doIt, doIt}},
		{"gm, token, verified", trust{role: roleGM, token: tokenValid, address: addressRegistered, auth: mail.AuthVerified}, [5]decision{doIt, doIt, doIt, doIt, doIt}},
		{"player, token, verified, crowded", trust{role: rolePlayer, token: tokenValid, address: addressRegistered, auth: mail.AuthVerified, crowded: true}, [5]decision{doIt, doIt, doIt, doIt, doIt}},
		{"gm, token, verified, crowded", trust{role: roleGM, token: tokenValid, address: addressRegistered, auth: mail.AuthVerified, crowded: true}, [5]decision{doIt, doIt, doIt, confirm, doIt}},
		// token, registered, no result
		{"player, token, none", trust{role: rolePlayer, token: tokenValid, address: addressRegistered, auth: mail.AuthNone}, [5]decision{doIt, doIt, doIt, doIt, confirm}},
		{"gm, token, none", trust{role: roleGM, token: tokenValid, address: addressRegistered, auth: mail.AuthNone, proof: "verified"}, [5]decision{doIt, confirm, confirm, confirm, confirm}},
		{"gm, release token, none", trust{role: roleGM, token: tokenValid, release: true, address: addressRegistered, auth: mail.AuthNone, proof: "verified"}, [5]decision{doIt, confirm, confirm, confirm, confirm}},
		{"gm, release token, none, token is proof", trust{role: roleGM, token: tokenValid, release: true, address: addressRegistered, auth: mail.AuthNone, proof: "token"}, [5]decision{doIt, confirm, confirm, doIt, confirm}},
		{"gm, order token, none, token is proof", trust{role: roleGM, token: tokenValid, address: addressRegistered, auth: mail.AuthNone, proof: "token"}, [5]decision{doIt, confirm, confirm, confirm, confirm}},
		{"gm, release token, none, token is proof, crowded", trust{role: roleGM, token: tokenValid, release: true, address: addressRegistered, auth: mail.AuthNone, proof: "token", crowded: true}, [5]decision{doIt, confirm, confirm, confirm, confirm}},
		// token, other address: held
		{"player, token, other address, verified", trust{role: rolePlayer, token: tokenValid, auth: mail.AuthVerified}, [5]decision{hold, hold, hold, hold, hold}},
		{"player, token, other address, none", trust{role: rolePlayer, token: tokenValid, auth: mail.AuthNone}, [5]decision{hold, hold, hold, hold, hold}},
		{"gm, token, other address, verified", trust{role: roleGM, token: tokenValid, release: true, auth: mail.AuthVerified, proof: "token"}, [5]decision{hold, hold, hold, hold, hold}},
		{"gm, token, other address, none", trust{role: roleGM, token: tokenValid, release: true, auth: mail.AuthNone, proof: "token"}, [5]decision{hold, hold, hold, hold, hold}},
		// verified, no token
		{"player, no token, verified", trust{role: rolePlayer, address: addressRegistered, auth: mail.AuthVerified}, [5]decision{doIt, doIt, doIt, fresh, doIt}},
		{"player, old token, verified", trust{role: rolePlayer, token: tokenStale, address: addressRegistered, auth: mail.AuthVerified}, [5]decision{doIt, doIt, doIt, fresh, doIt}},
		{"gm, no token, verified", trust{role: roleGM, address: addressRegistered, auth: mail.AuthVerified}, [5]decision{doIt, doIt, doIt, fresh, doIt}},
		{"gm, old token, verified", trust{role: roleGM, token: tokenStale, address: addressRegistered, auth: mail.AuthVerified, proof: "token"}, [5]decision{doIt, doIt, doIt, fresh, doIt}},
		// no token, no result
		{"player, no token, none", trust{role: rolePlayer, address: addressRegistered, auth: mail.AuthNone}, [5]decision{notice, notice, notice, notice, notice}},
		{"player, old token, none", trust{role: rolePlayer, token: tokenStale, address: addressRegistered, auth: mail.AuthNone}, [5]decision{notice, notice, notice, notice, notice}},
		{"gm, no token, none", trust{role: roleGM, address: addressRegistered, auth: mail.AuthNone, proof: "token"}, [5]decision{notice, notice, notice, notice, notice}},
		// not the registered address, no token
		{"other address, no token, verified", trust{role: rolePlayer, auth: mail.AuthVerified}, [5]decision{greet, greet, greet, greet, greet}},
		{"other address, no token, none", trust{role: rolePlayer, auth: mail.AuthNone}, [5]decision{silent, silent, silent, silent, silent}},
		{"other address, old token, none", trust{role: roleGM, token: tokenStale, auth: mail.AuthNone}, [5]decision{silent, silent, silent, silent, silent}},
		// a stranger
		{"stranger, verified", trust{auth: mail.AuthVerified}, [5]decision{greet, greet, greet, greet, greet}},
		{"stranger, none", trust{auth: mail.AuthNone}, [5]decision{silent, silent, silent, silent, silent}},
		{"stranger, failed", trust{auth: mail.AuthFailed}, [5]decision{silent, silent, silent, silent, silent}},
		// confirmed by its owner: counts whatever authentication says
		{"player, confirmed, failed", trust{role: rolePlayer, token: tokenValid, auth: mail.AuthFailed, confirmed: true}, [5]decision{doIt, doIt, doIt, doIt, doIt}},
		{"gm, confirmed, none", trust{role: roleGM, token: tokenStale, address: addressRegistered, auth: mail.AuthNone, confirmed: true, crowded: true}, [5]decision{doIt, doIt, doIt, doIt, doIt}},
	}
	for _, c := range cells {
		for i, need := range rights {
			t.Run(fmt.Sprintf("%s, right %d", c.name, need), func(t *testing.T) {
				t.Parallel()
				if got := c.trust.judge(need); got != c.want[i] {
					t.Errorf("decision %d, want %d", got, c.want[i])
				}
			})
		}
	}
}

// TestNothingWithoutProof is the table's point, over every combination: no
// act that needs proof is carried out unless the sender is verified with a valid
// token, or the game takes the packet's token, or the owner confirmed it.
// TestUnreadableWithoutProof: a letter that names two senders, or is not safe to read,
// and comes to an address that Anna got, is set aside for that reason, whoever sent
// it; she hears of it once a day.
func TestUnreadableWithoutProof(t *testing.T) {
	t.Parallel()
	b := newBench(t, oneDatabase(t), benchOptions{})
	to := b.one("anna").replyTo
	b.empty()
	for i, raw := range []string{
		"From: anna@" + testDomain + "\r\nFrom: ben@" + testDomain + "\r\nTo: " + to + "\r\n\r\nTwo shots at Zog.\r\n",
		"From: anna@" + testDomain + ", ben@" + testDomain + "\r\nTo: " + to + "\r\n\r\nTwo shots at Zog.\r\n",
	} {
		b.raw("", arrival{auth: "none", to: to}, []byte(raw))
		b.crank()
		l := b.lastLetter()
		if l.Disposition != store.Quarantined || !strings.Contains(l.Why, "From field") || !strings.Contains(l.Why, "its owner was told") {
			t.Errorf("letter %d: %s (%s)", i, l.Disposition, l.Why)
		}
		if i == 0 {
			contains(t, "what Anna is told", b.one("anna").text, "not")
		}
	}
	for _, who := range people {
		b.none(who)
	}
	if r, ok := b.game().InForce()["bobo"]; ok && r.Letter != 0 {
		t.Errorf("orders of letter %d are in force", r.Letter)
	}
}

func TestNothingWithoutProof(t *testing.T) {
	t.Parallel()
	for _, token := range []tokenState{tokenNone, tokenValid, tokenStale} {
		for _, address := range []addressState{addressOther, addressRegistered} {
			for _, auth := range []mail.AuthLevel{mail.AuthNone, mail.AuthVerified, mail.AuthFailed} {
				for _, role := range []string{"", rolePlayer, roleGM} {
					for bits := range 16 {
						x := trust{token: token, address: address, auth: auth, role: role,
							release: bits&1 != 0, crowded: bits&2 != 0, confirmed: bits&4 != 0, proof: "verified"}
						if bits&8 != 0 {
							x.proof = "token"
						}
						if role != roleGM || x.judge(rightProof) != doIt || x.confirmed {
							continue
						}
						strict := token == tokenValid && address == addressRegistered && auth == mail.AuthVerified && !x.crowded
						byToken := token == tokenValid && address == addressRegistered && auth == mail.AuthNone && x.proof == "token" && x.release && !x.crowded
						if !strict && !byToken {
							t.Errorf("proof given by %+v", x)
						}
					}
				}
			}
		}
	}
}
