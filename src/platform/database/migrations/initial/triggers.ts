/** Checks per second are summed as whole millionths, so that sums don't drift. */
const RATE = `round(1000000.0 / interval_seconds)::bigint`;

/** Each counted table with its column in `organization_use`. */
const COUNTED = [
  ['website', 'websites'],
  ['endpoint', 'endpoints'],
  ['alert', 'alerts'],
  ['api_key', 'api_keys'],
  ['status_page', 'status_pages'],
] as const;

const changes = (table: string, name: string): string => `
CREATE TRIGGER ${name}_in AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
  EXECUTE FUNCTION ${name}();
CREATE TRIGGER ${name}_out AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
  EXECUTE FUNCTION ${name}();`;

/**
 * Runs once per statement, however many rows it changes and whichever client runs it. A statement that changes no rows
 * (the end of a cascade) only reads an empty set.
 */
const counting = ([table, column]: (typeof COUNTED)[number]): string => {
  const [rate, addRate, subtractRate] =
    table === 'endpoint'
      ? [
          `, sum(${RATE}) AS rate`,
          ', check_rate = u.check_rate + n.rate',
          ', check_rate = greatest(0, u.check_rate - n.rate)',
        ]
      : ['', '', ''];
  const counts = `(SELECT org_id, count(*) AS amount${rate} FROM changed GROUP BY org_id) n WHERE u.org_id = n.org_id`;
  return `
CREATE FUNCTION ${table}_counted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        UPDATE organization_use u SET ${column} = u.${column} + n.amount${addRate} FROM ${counts};
      ELSE
        UPDATE organization_use u SET ${column} = greatest(0, u.${column} - n.amount)${subtractRate} FROM ${counts};
      END IF;
      RETURN NULL;
    END $$;${changes(table, `${table}_counted`)}`;
};

const amounts =
  '(SELECT website_id, count(*) AS amount FROM changed GROUP BY website_id) n WHERE u.website_id = n.website_id';

/**
 * Triggers run in the transaction of each write, whichever client it comes from. Triggers for the same event fire in
 * alphabetical order.
 */
export const TRIGGERS = `
-- organization_use: what an organization has.
CREATE FUNCTION organization_use_begins() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO organization_use (org_id) VALUES (NEW.id);
    RETURN NULL;
  END $$;
CREATE TRIGGER organization_use_begins AFTER INSERT ON organization FOR EACH ROW
  EXECUTE FUNCTION organization_use_begins();
${COUNTED.map(counting).join('\n')}

CREATE FUNCTION endpoint_rate_counted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE organization_use SET check_rate = greatest(0, check_rate
        + round(1000000.0 / NEW.interval_seconds)::bigint - round(1000000.0 / OLD.interval_seconds)::bigint)
     WHERE org_id = NEW.org_id;
    RETURN NULL;
  END $$;
CREATE TRIGGER endpoint_rate_counted AFTER UPDATE OF interval_seconds ON endpoint FOR EACH ROW
  WHEN (OLD.interval_seconds <> NEW.interval_seconds) EXECUTE FUNCTION endpoint_rate_counted();

-- website_use: how many endpoints a website has. The names put these triggers behind those of organization_use, whose row
-- is always locked first.
CREATE FUNCTION website_use_begins() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO website_use (website_id, org_id) VALUES (NEW.id, NEW.org_id);
    RETURN NULL;
  END $$;
CREATE TRIGGER website_use_begins AFTER INSERT ON website FOR EACH ROW EXECUTE FUNCTION website_use_begins();

CREATE FUNCTION endpoint_of_website_counted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE website_use u SET endpoints = u.endpoints + n.amount FROM ${amounts};
    ELSE
      UPDATE website_use u SET endpoints = greatest(0, u.endpoints - n.amount) FROM ${amounts};
    END IF;
    RETURN NULL;
  END $$;${changes('endpoint', 'endpoint_of_website_counted')}

-- An endpoint may move to another website: its state and the counters of both follow, those in the order of their ids.
CREATE FUNCTION endpoint_of_website_moved() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM website_use WHERE website_id IN (OLD.website_id, NEW.website_id) ORDER BY website_id FOR UPDATE;
    UPDATE website_use SET endpoints = greatest(0, endpoints + CASE website_id WHEN NEW.website_id THEN 1 ELSE -1 END)
     WHERE website_id IN (OLD.website_id, NEW.website_id);
    UPDATE endpoint_state SET website_id = NEW.website_id WHERE endpoint_id = NEW.id;
    RETURN NULL;
  END $$;
CREATE TRIGGER endpoint_of_website_moved AFTER UPDATE OF website_id ON endpoint FOR EACH ROW
  WHEN (OLD.website_id <> NEW.website_id) EXECUTE FUNCTION endpoint_of_website_moved();

-- The copies of the endpoint's columns in endpoint_state.
CREATE FUNCTION endpoint_state_begins() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT website_id, enabled INTO NEW.website_id, NEW.enabled FROM endpoint WHERE id = NEW.endpoint_id;
    RETURN NEW;
  END $$;
CREATE TRIGGER endpoint_state_begins BEFORE INSERT ON endpoint_state FOR EACH ROW
  EXECUTE FUNCTION endpoint_state_begins();

CREATE FUNCTION endpoint_state_follows() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE endpoint_state SET enabled = NEW.enabled WHERE endpoint_id = NEW.id;
    RETURN NULL;
  END $$;
CREATE TRIGGER endpoint_state_follows AFTER UPDATE OF enabled ON endpoint FOR EACH ROW
  WHEN (OLD.enabled <> NEW.enabled) EXECUTE FUNCTION endpoint_state_follows();

-- The audit logs are append-only: the database itself refuses to change a row, and lets one go only when retention names the
-- time before which rows are old (uptime.audit_cutoff) for the length of its transaction, or its organization is being
-- removed. This stops mistakes and faults of the application, not an administrator of the database.
CREATE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.created_at < NULLIF(current_setting('uptime.audit_cutoff', true), '')::timestamptz THEN
        RETURN OLD;
      END IF;
      IF NOT EXISTS (SELECT 1 FROM organization WHERE id = OLD.org_id AND deleted_at IS NULL) THEN
        RETURN OLD;
      END IF;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;
CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW
  EXECUTE FUNCTION audit_log_stays();
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT
  EXECUTE FUNCTION audit_log_stays();

CREATE FUNCTION operator_audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.created_at < NULLIF(current_setting('uptime.audit_cutoff', true), '')::timestamptz THEN
        RETURN OLD;
      END IF;
    END IF;
    RAISE EXCEPTION 'operator_audit_log is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$;
CREATE TRIGGER operator_audit_log_stays BEFORE UPDATE OR DELETE ON operator_audit_log FOR EACH ROW
  EXECUTE FUNCTION operator_audit_log_stays();
CREATE TRIGGER operator_audit_log_not_emptied BEFORE TRUNCATE ON operator_audit_log FOR EACH STATEMENT
  EXECUTE FUNCTION operator_audit_log_stays();

-- stream_event: written in the transaction of the change, whoever makes it; a check that changes nothing costs one comparison.
CREATE FUNCTION stream_state_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO stream_event (org_id, endpoint_id, checked_at, status, previous_status, duration_us, status_code, error)
    VALUES (NEW.org_id, NEW.endpoint_id, NEW.last_checked_at, NEW.status, OLD.status, NEW.last_duration_us,
            NEW.last_status_code, NEW.last_error);
    RETURN NULL;
  END $$;
CREATE TRIGGER stream_state_change AFTER UPDATE ON endpoint_state FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND OLD.last_checked_at IS DISTINCT FROM NEW.last_checked_at AND NEW.last_checked_at IS NOT NULL)
  EXECUTE FUNCTION stream_state_change();

CREATE FUNCTION stream_alert_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO stream_event (org_id, event_id) SELECT org_id, id FROM added ORDER BY id;
    RETURN NULL;
  END $$;
CREATE TRIGGER stream_alert_events AFTER INSERT ON alert_event REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION stream_alert_events();

CREATE FUNCTION stream_maintenance() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO stream_event (org_id, kind, payload)
    VALUES (NEW.org_id, 'maintenance', jsonb_build_object(
      'window_id', NEW.window_id,
      'name', NEW.name,
      'state', CASE WHEN NEW.over THEN 'ended' ELSE 'started' END,
      'until', to_char(NEW.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    RETURN NULL;
  END $$;
CREATE TRIGGER stream_maintenance AFTER UPDATE ON maintenance_occurrence FOR EACH ROW
  WHEN ((NEW.begun AND NOT OLD.begun AND NOT NEW.over) OR (NEW.over AND NOT OLD.over AND NOT NEW.continued))
  EXECUTE FUNCTION stream_maintenance();

-- Of an acknowledgement: {by, at, note, until} as the API shows it, NULL when it has ended.
CREATE FUNCTION stream_acknowledgement() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      INSERT INTO stream_event (org_id, endpoint_id, kind) VALUES (OLD.org_id, OLD.endpoint_id, 'acknowledgement');
    ELSE
      INSERT INTO stream_event (org_id, endpoint_id, kind, payload)
      VALUES (NEW.org_id, NEW.endpoint_id, 'acknowledgement', jsonb_build_object(
        'by', NEW.by_name,
        'at', to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'note', NEW.note,
        'until', to_char(NEW.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    END IF;
    RETURN NULL;
  END $$;
CREATE TRIGGER stream_acknowledgement AFTER INSERT OR UPDATE OR DELETE ON acknowledgement FOR EACH ROW
  EXECUTE FUNCTION stream_acknowledgement();
`;
