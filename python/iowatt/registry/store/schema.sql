-- Everything that the registry knows, besides the bundles themselves.
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('submitter', 'reviewer', 'operator')),
  mail TEXT,
  token_sha256 TEXT NOT NULL UNIQUE,
  active INTEGER NOT NULL DEFAULT 1,
  made TEXT NOT NULL
) STRICT;
CREATE TABLE public_keys (
  public_key TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (id),
  added TEXT NOT NULL,
  revoked TEXT
) STRICT;
CREATE TABLE submissions (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE,
  content_sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  account INTEGER NOT NULL REFERENCES accounts (id),
  public_key TEXT NOT NULL REFERENCES public_keys (public_key),
  document TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  vendor TEXT NOT NULL,
  product TEXT NOT NULL,
  family TEXT NOT NULL,
  form TEXT,
  protocol TEXT,
  category TEXT,
  profile TEXT,
  configuration TEXT NOT NULL,
  state TEXT NOT NULL,
  received TEXT NOT NULL,
  analysis TEXT NOT NULL DEFAULT 'pending' CHECK (analysis IN ('pending', 'reproduced', 'refused')),
  result TEXT,
  basis TEXT,
  metric_family TEXT,
  standing TEXT,
  unverified_rules INTEGER NOT NULL DEFAULT 0,
  year INTEGER,
  published TEXT,
  window_ends TEXT,
  superseded_by INTEGER REFERENCES submissions (number)
) STRICT;
CREATE TABLE figures (
  submission INTEGER NOT NULL REFERENCES submissions (number),
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  unit TEXT NOT NULL,
  value REAL,
  shown TEXT,
  PRIMARY KEY (submission, position)
) STRICT;
CREATE TABLE findings (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submissions (number),
  code TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('invalid', 'non-compliant', 'warning')),
  text TEXT NOT NULL,
  by TEXT NOT NULL,
  at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'closed')),
  answer TEXT,
  closing TEXT
) STRICT;
CREATE TABLE log (
  number INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,
  sha256 TEXT NOT NULL UNIQUE,
  signature TEXT NOT NULL
) STRICT;
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  made TEXT NOT NULL,
  sent TEXT
) STRICT;
CREATE INDEX submissions_state ON submissions (state, basis, metric_family);
CREATE INDEX submissions_content ON submissions (content_sha256);
CREATE INDEX findings_submission ON findings (submission);
CREATE INDEX outbox_unsent ON outbox (number) WHERE sent IS NULL;
CREATE TRIGGER log_keeps BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER log_stays BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER submission_stays BEFORE DELETE ON submissions BEGIN SELECT RAISE(ABORT, 'kept for good'); END;
CREATE TRIGGER submission_keeps BEFORE UPDATE OF sha256, content_sha256, account, public_key, document ON submissions
BEGIN SELECT RAISE(ABORT, 'a submission is not changed'); END;
PRAGMA user_version = 1;
