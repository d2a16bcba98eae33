package main

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/pbemd/pbemd/internal/mail"
)

// Config is pbemd.toml. Its zero value is the embedded default: SQLite, the
// post office and the token keys in one data folder.
type Config struct {
	// Data is the folder of everything that is embedded.
	Data string `toml:"data"`
	// Operator is an address that hears of what needs a person.
	Operator string         `toml:"operator"`
	Database DatabaseConfig `toml:"database"`
	Mail     MailConfig     `toml:"mail"`
	IMAP     *ServerConfig  `toml:"imap"`
	SMTP     *ServerConfig  `toml:"smtp"`
	DKIM     *DKIMConfig    `toml:"dkim"`
	Post     PostConfig     `toml:"post_office"`
	HTTP     HTTPConfig     `toml:"http"`
	Log      LogConfig      `toml:"log"`
}

// DatabaseConfig names the database: "sqlite:PATH" or a postgres:// URL.
type DatabaseConfig struct {
	URL     string `toml:"url"`
	URLFile string `toml:"url_file"` // for a URL that holds a password
}

// MailConfig is how pbemd's own address is known.
type MailConfig struct {
	Account      string `toml:"account"` // a short name, stored with letters
	Address      string `toml:"address"` // tokens go behind its plus
	Name         string `toml:"name"`    // display name
	AuthservID   string `toml:"authserv_id"`
	MXHops       int    `toml:"mx_hops"`
	TokenKeyFile string `toml:"token_key_file"`
}

// ServerConfig is one account at one server.
type ServerConfig struct {
	Addr         string `toml:"addr"` // host:port
	TLS          string `toml:"tls"`  // implicit (default), starttls, none
	User         string `toml:"user"`
	PasswordFile string `toml:"password_file"`
	PasswordEnv  string `toml:"password_env"`
	CAFile       string `toml:"ca_file"` // PEM; empty: the system's authorities

	password string
	ca       *x509.CertPool
}

// DKIMConfig is the key that our mail is signed with, where the mail server does
// not sign it.
type DKIMConfig struct {
	Domain   string `toml:"domain"` // default: that of mail.address
	Selector string `toml:"selector"`
	KeyFile  string `toml:"key_file"` // PEM, RSA or Ed25519

	signer *mail.Signer
}

// HTTPConfig is where /healthz and /metrics are served; nowhere if Listen is
// empty.
type HTTPConfig struct {
	Listen string `toml:"listen"`
}

// PostConfig is the embedded post office.
type PostConfig struct {
	Domain string `toml:"domain"`
	SMTP   string `toml:"smtp"` // listen addresses
	IMAP   string `toml:"imap"`
}

// LogConfig is what standard error gets.
type LogConfig struct {
	Level  string `toml:"level"`  // debug, info, warn, error
	Format string `toml:"format"` // text, json
}

// embedded reports that mail goes through the post office.
func (c Config) embedded() bool { return c.IMAP == nil && c.SMTP == nil }

// defaults fills in what the file leaves out.
func (c *Config) defaults() {
	set := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	set(&c.Data, "pbemd-data")
	set(&c.Post.Domain, "pbemd.localhost")
	set(&c.Mail.Account, "main")
	set(&c.Mail.Name, "pbemd")
	set(&c.Mail.TokenKeyFile, filepath.Join(c.Data, "token.keys"))
	set(&c.Log.Level, "info")
	set(&c.Log.Format, "text")
	if c.embedded() {
		set(&c.Mail.Address, "pbem@"+c.Post.Domain)
		set(&c.Post.SMTP, "127.0.0.1:2525")
		set(&c.Post.IMAP, "127.0.0.1:2143")
	}
	if c.Database.URL == "" {
		c.Database.URL = "sqlite:" + filepath.Join(c.Data, "pbemd.db")
	}
}

// ReadConfig reads and checks a config file. Its error lists every fault, one a
// line, each with the key and what would be right.
func ReadConfig(path string) (Config, error) {
	var c Config
	if path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return c, fmt.Errorf("reading the config: %w", err)
		}
		if c, err = parseConfig(path, text); err != nil {
			return c, err
		}
	}
	faults := c.secrets(path)
	c.defaults()
	faults = append(faults, c.check(path)...)
	return c, errors.Join(faults...)
}

func parseConfig(path string, text []byte) (Config, error) {
	var c Config
	md, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&c)
	if err != nil {
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			return c, fmt.Errorf("%s:%d: %s", path, pe.Position.Line, pe.Message)
		}
		return c, fmt.Errorf("%s: %w", path, err)
	}
	var faults []error
	for _, k := range md.Undecoded() {
		faults = append(faults, fmt.Errorf("%s: %s: there is no such key; see examples/pbemd.toml for all of them", path, k))
	}
	return c, errors.Join(faults...)
}

// secrets reads passwords and the database URL from where the file says.
func (c *Config) secrets(path string) []error {
	var faults []error
	fail := func(key string, err error) {
		faults = append(faults, fmt.Errorf("%s: %s: %w", path, key, err))
	}
	if c.Database.URLFile != "" {
		if c.Database.URL != "" {
			fail("database", errors.New("give url or url_file, not both"))
		}
		b, err := os.ReadFile(c.Database.URLFile)
		if err != nil {
			fail("database.url_file", err)
		}
		c.Database.URL = strings.TrimSpace(string(b))
	}
	for name, s := range map[string]*ServerConfig{"imap": c.IMAP, "smtp": c.SMTP} {
		if s == nil {
			continue
		}
		switch {
		case s.PasswordFile != "" && s.PasswordEnv != "":
			fail(name, errors.New("give password_file or password_env, not both"))
		case s.PasswordFile != "":
			b, err := os.ReadFile(s.PasswordFile)
			if err != nil {
				fail(name+".password_file", err)
			}
			s.password = strings.TrimRight(string(b), "\r\n")
		case s.PasswordEnv != "":
			if s.password = os.Getenv(s.PasswordEnv); s.password == "" {
				fail(name+".password_env", fmt.Errorf("the variable %s is empty", s.PasswordEnv))
			}
		}
		if s.CAFile != "" {
			pem, err := os.ReadFile(s.CAFile)
			s.ca = x509.NewCertPool()
			if err == nil && !s.ca.AppendCertsFromPEM(pem) {
				err = fmt.Errorf("%s holds no certificate in PEM", s.CAFile)
			}
			if err != nil {
				fail(name+".ca_file", err)
			}
		}
	}
	if c.DKIM != nil {
		if err := c.DKIM.read(c.Mail.Address); err != nil {
			fail("dkim", err)
		}
	}
	return faults
}

// read makes the signer of the key that the file holds.
func (d *DKIMConfig) read(address string) error {
	if d.Domain == "" {
		_, d.Domain, _ = strings.Cut(address, "@")
	}
	pem, err := os.ReadFile(d.KeyFile)
	if err != nil {
		return fmt.Errorf("key_file: %w", err)
	}
	d.signer, err = mail.NewSigner(d.Domain, d.Selector, pem)
	return err
}

// check says what is wrong with the values.
func (c Config) check(path string) []error {
	var faults []error
	fail := func(key, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s: %s", path, key, fmt.Sprintf(format, args...)))
	}
	if path == "" {
		path = "(defaults)"
	}
	if (c.IMAP == nil) != (c.SMTP == nil) {
		fail("imap, smtp", "give both to use your own mail server, or neither to use the embedded post office")
	}
	if u := c.Database.URL; !strings.HasPrefix(u, "sqlite:") && !strings.HasPrefix(u, "postgres://") && !strings.HasPrefix(u, "postgresql://") {
		fail("database.url", "begins with neither sqlite: nor postgres://")
	}
	if c.Mail.Address == "" {
		fail("mail.address", "is needed with your own mail server, such as \"pbem@example.org\"")
	} else if _, err := mail.NormalizeAddress(c.Mail.Address); err != nil {
		fail("mail.address", "%q is not an address", c.Mail.Address)
	}
	if c.Operator != "" {
		if _, err := mail.NormalizeAddress(c.Operator); err != nil {
			fail("operator", "%q is not an address", c.Operator)
		}
	}
	if c.Mail.MXHops < 0 || c.Mail.MXHops > 20 {
		fail("mail.mx_hops", "%d is not from 0 to 20", c.Mail.MXHops)
	}
	for name, s := range map[string]*ServerConfig{"imap": c.IMAP, "smtp": c.SMTP} {
		if s == nil {
			continue
		}
		if _, _, err := net.SplitHostPort(s.Addr); err != nil {
			fail(name+".addr", "%q is not host:port", s.Addr)
		}
		if _, err := tlsMode(s.TLS); err != nil {
			fail(name+".tls", "%v", err)
		}
		if s.User != "" && s.password == "" {
			fail(name, "user %q has no password; give password_file or password_env", s.User)
		}
	}
	if c.embedded() {
		for key, a := range map[string]string{"post_office.smtp": c.Post.SMTP, "post_office.imap": c.Post.IMAP} {
			if _, _, err := net.SplitHostPort(a); err != nil {
				fail(key, "%q is not host:port", a)
			}
		}
	}
	if c.HTTP.Listen != "" {
		if _, _, err := net.SplitHostPort(c.HTTP.Listen); err != nil {
			fail("http.listen", "%q is not host:port", c.HTTP.Listen)
		}
	}
	if _, err := logLevel(c.Log.Level); err != nil {
		fail("log.level", "%v", err)
	}
	if c.Log.Format != "text" && c.Log.Format != "json" {
		fail("log.format", "%q is neither text nor json", c.Log.Format)
	}
	return faults
}

func tlsMode(s string) (mail.TLSMode, error) {
	switch s {
	case "", "implicit":
		return mail.TLSImplicit, nil
	case "starttls":
		return mail.TLSStartTLS, nil
	case "none":
		return mail.TLSNone, nil
	}
	return "", fmt.Errorf("%q is none of implicit, starttls, none", s)
}

func logLevel(s string) (slog.Level, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s)); err != nil {
		return 0, fmt.Errorf("%q is none of debug, info, warn, error", s)
	}
	return l, nil
}
