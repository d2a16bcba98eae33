require ["vnd.dovecot.filter", "copy"];
# A forwarder that loses what says that a mail is automatic: the responder behind
# it answers all.
filter "sed" ["-e", "/^Auto-Submitted:/d", "-e", "/^X-Auto-Response-Suppress:/d"];
redirect :copy "deaf-away@example.test";
