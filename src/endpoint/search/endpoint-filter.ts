import { shownUrlSql } from '../settings/shown-settings';
import { may, type Role } from '../../platform/access/permissions';
import { type Condition, containing } from '../../website/containing';
import type { EndpointStatus } from '../endpoint.dto';
import { OUTCOME_CODE } from '../outcome-code';

/** The search conditions. Absent fields match everything. */
export interface EndpointFilter {
  readonly status?: EndpointStatus | undefined;
  readonly type?: string | undefined;
  readonly tag?: string | undefined;
  readonly key?: string | undefined;
  /**
   * Matches endpoints whose certificate, according to the newest check, has expired or expires within this many days.
   */
  readonly certificateWithin?: number | undefined;
  /** The number of a location in history: the number of a probe, or 0 for `local`. */
  readonly location?: number | undefined;
  /** A substring of the name or URL. */
  readonly text?: string | undefined;
}

/**
 * Written so that neither this condition nor its subqueries can become a join, which might start with the rows of other
 * organizations.
 */
const DISABLED_WEBSITE = 'endpoint.website_id IN (SELECT w.id FROM website w WHERE w.org_id = $1 AND NOT w.enabled)';
const PAUSED = `(NOT endpoint.enabled OR ${DISABLED_WEBSITE})`;
const STATE = '(SELECT s.status FROM endpoint_state s WHERE s.endpoint_id = endpoint.id)';

/**
 * The query string of a URL may contain a token. Read keys can't see it, so a search must not reveal it letter by
 * letter either.
 */
const NAME_AND_URL = `name || E'\\n' || url`;
const NAME_AND_SHOWN_URL = `name || E'\\n' || ${shownUrlSql('url')}`;

type Rule = (condition: Condition) => Condition;

/** Returns the placeholder for the next parameter of a condition. */
const next = ({ parameters }: Condition): string => `$${parameters.length + 1}`;

const equal =
  (column: string, cast: string, value: unknown): Rule =>
  (before) => ({
    condition: `${before.condition} AND ${column} = ${next(before)}::${cast}`,
    parameters: [...before.parameters, value],
  });

function ofStatus(status: EndpointStatus): Rule {
  if (status === 'paused') {
    return ({ condition, parameters }) => ({ condition: `${condition} AND ${PAUSED}`, parameters });
  }
  return (before) => {
    const active = { ...before, condition: `${before.condition} AND endpoint.enabled AND NOT ${DISABLED_WEBSITE}` };
    return equal(STATE, 'smallint', OUTCOME_CODE[status])(active);
  };
}

const ofTag =
  (tag: string): Rule =>
  (before) => ({
    condition: `${before.condition} AND (${next(before)}::text = ANY (endpoint.tags) OR endpoint.website_id IN
      (SELECT t.id FROM website t WHERE t.org_id = $1 AND ${next(before)}::text = ANY (t.tags)))`,
    parameters: [...before.parameters, tag],
  });

const ofCertificate =
  (days: number): Rule =>
  (before) => ({
    condition: `${before.condition} AND
      (SELECT s.certificate_expires_at FROM endpoint_state s WHERE s.endpoint_id = endpoint.id) < now() + ${next(before)}::int * interval '1 day'`,
    parameters: [...before.parameters, days],
  });

const LOCATED = '(SELECT n.located FROM endpoint_schedule n WHERE n.endpoint_id = endpoint.id)';

const ofLocation =
  (number: number): Rule =>
  (before) => {
    const isThere = `(SELECT true FROM endpoint_location l WHERE l.endpoint_id = endpoint.id AND l.number = ${next(before)}::smallint)`;
    const isMet = number === 0 ? `(NOT ${LOCATED} OR ${isThere})` : isThere;
    return { condition: `${before.condition} AND ${isMet}`, parameters: [...before.parameters, number] };
  };

const ofText =
  (text: string, role: Role): Rule =>
  ({ condition, parameters }) => {
    const found = containing(may({ role }, 'secrets.read') ? NAME_AND_URL : NAME_AND_SHOWN_URL, text, parameters);
    return { ...found, condition: `${condition} ${found.condition}` };
  };

/**
 * Returns conditions for rows of `endpoint`, each starting with AND. The first parameter of the statement must be the
 * organization. The new parameters follow those in `before`.
 */
export function conditionOf(filter: EndpointFilter, role: Role, before: readonly unknown[]): Condition {
  const { status, type, tag, key, certificateWithin, location, text } = filter;
  const rules: Rule[] = [];
  if (type !== undefined) rules.push(equal('endpoint.type', 'text', type));
  if (key !== undefined) rules.push(equal('endpoint.external_key', 'text', key));
  if (tag !== undefined) rules.push(ofTag(tag));
  if (status !== undefined) rules.push(ofStatus(status));
  if (certificateWithin !== undefined) rules.push(ofCertificate(certificateWithin));
  if (location !== undefined) rules.push(ofLocation(location));
  if (text !== undefined) rules.push(ofText(text, role));
  return rules.reduce<Condition>((condition, rule) => rule(condition), { condition: '', parameters: before });
}
