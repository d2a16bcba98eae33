require ["vnd.dovecot.filter", "copy"];
# A forwarder that loses what says that a mail is automatic: the responder behind
# it answers all.
filter "undeclared";
redirect :copy "deaf-away@example.test";
