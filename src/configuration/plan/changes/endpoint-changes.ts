import { Injectable } from '@nestjs/common';
import { may } from '../../../platform/access/permissions';
import { isLongerThan } from '../../../platform/text/text-limits';
import type { Assertion } from '../../../checker/assertion/assertion';
import { isSensitiveHeader } from '../../../checker/request-headers';
import { EndpointSettingsResolver } from '../../../endpoint/settings/endpoint-settings';
import { MASKED_SETTINGS, toAuditView, type UpdateEndpointDto } from '../../../endpoint/endpoint.dto';
import { type EndpointSettings, settingsOf } from '../../../endpoint/endpoint.entity';
import { HEARTBEAT } from '../../../endpoint/heartbeat/heartbeat-schedule';
import { parentIds } from '../../../endpoint/suppression/dependencies';
import { comparesCredential } from '../../../endpoint/settings/shown-settings';
import { shownSettings } from '../../../endpoint/settings/stored-settings';
import { isDeepStrictEqual } from 'node:util';
import { Config } from '../../../platform/config/config';
import { formatId } from '../../../platform/ids/id';
import { refuse } from '../../../platform/problem/findings';
import { MASK } from '../../../platform/secrets/mask';
import type { DeclaredEndpoint } from '../../document/document';
import { filled, isReference, type StoredAt, storedIn } from '../kept-secrets';
import type { EndpointMatch } from '../matches';
import type { PlannedEndpoint } from '../plan';
import { missingSecret } from '../plan-findings';
import type { PresentEndpoint } from '../state/present-state';
import type { References } from '../references';
import { type Defaults, ENDPOINT_DEFAULTS, sentFields } from '../sent-fields';
import { noteGuesses, type Planning, planned } from './planning';
import { refusesShown, withMaskedCredentials } from './hidden-values';

const MAX_URL = 2048;
/** A placeholder for a URL that the document doesn't contain. */
const SECRET = '(secret)';

@Injectable()
export class EndpointChanges {
  constructor(
    private readonly settings: EndpointSettingsResolver,
    private readonly config: Config,
  ) {}

  *plan(planning: Planning, matches: readonly EndpointMatch[]): Iterable<PlannedEndpoint[]> {
    for (const match of matches) {
      const planned = this.planOne(planning, match);
      yield planned ? [planned] : [];
    }
  }

  private planOne(planning: Planning, match: EndpointMatch): PlannedEndpoint | null {
    const { declared, present, pointer, id, website } = match;
    const { findings, references, caller } = planning;
    const sent = this.dtoOf(planning, match);
    if (!sent) return null;
    const dto = present && !may(caller, 'secrets.read') ? withMaskedCredentials(sent, present) : sent;
    const stored = present && settingsWithoutParents(present);
    const after = findings.attempt(pointer, () => {
      const examined = this.settings.examine(id, dto, { stored, caller, probes: planning.probes });
      refuse(examined.findings);
      return examined;
    });
    if (!after) return null;
    const { settings, address } = after;
    const dependsOn = dto.depends_on ? parentIds(dto.depends_on) : [...(present?.dependsOn ?? [])];
    const before = present && stored && toAuditView(present.websiteId, stored, present.dependsOn);
    const shown = (view: object): object =>
      readable(planning.secrets.has(`${pointer}/url`) ? { ...view, url: SECRET } : view, references);
    const preview = {
      before: before && shown(before),
      after: shown(toAuditView(website.id, settings, dependsOn)),
      hidden: stored ? MASKED_SETTINGS.filter((name) => !isDeepStrictEqual(stored[name], settings[name])) : [],
    };
    noteGuesses(planning, { ...preview, hidden: isSettingsHidden(preview.hidden) }, () =>
      this.settings.namedSecrets(settings.type, dto.settings ?? {}),
    );
    return {
      ...planned(planning, { ...match, declared: { ...declared, alerts: undefined } }, preview, dto),
      websiteId: website.id,
      dependsOn,
      row: present ? null : { id, settings, address, dependsOn },
      hasAlerts: declared.alerts !== undefined,
    };
  }

  /**
   * Returns the fields that a client would send. Returns `null` if a secret or a reference is missing, and adds this to
   * the findings.
   */
  private dtoOf(planning: Planning, match: EndpointMatch): UpdateEndpointDto | null {
    const { findings, references } = planning;
    const { declared, present, pointer } = match;
    const isHidden = isHiddenIn(declared, (path) => this.settings.hidesSetting(declared.type, path));
    if (refusesShown(planning, pointer, placesOfSecrets(declared), isHidden)) return null;
    const defaults = defaultsOf(declared.type, this.config.minIntervalSeconds);
    const fields = sentFields(declared, ['alerts', 'depends_on'], defaults);
    const { value, missing } = filled(fields, present ? keptOf(present, declared) : () => undefined);
    for (const secret of missing) findings.add(missingSecret(pointer, secret));
    const parents = declared.depends_on;
    const depends = (parents ?? []).flatMap((path, index) => {
      const parent = references.idOf('endpoint', path);
      if (parent === null) findings.add(noSuch('endpoint', path, `${pointer}/depends_on/${index}`));
      return parent === null ? [] : [formatId('endpoint', parent)];
    });
    if (missing.length > 0) return null;
    // The value of a secret wasn't validated together with the document's shape.
    const { url } = value as UpdateEndpointDto;
    if (url !== undefined && isLongerThan(url, MAX_URL))
      findings.add({
        pointer: `${pointer}/url`,
        code: 'too_long',
        message: `url must have at most ${MAX_URL} characters`,
      });
    return { ...(value as UpdateEndpointDto), ...(parents !== undefined && { depends_on: depends }) };
  }
}

/** Settings may contain secrets that even write keys can't see, like the config of a channel. */
const isSettingsHidden = (hidden: readonly string[]): string[] => (hidden.includes('settings') ? ['config'] : []);

/** Returns the meaning of `null` for each field. A heartbeat has no check settings, so there `null` is kept. */
function defaultsOf(type: string, minIntervalSeconds: number): Defaults {
  const { enabled, locations, quorum, tags, depends_on, ...ofChecks } = ENDPOINT_DEFAULTS;
  const all = { enabled, locations, quorum, tags, depends_on };
  return type === HEARTBEAT ? all : { ...all, ...ofChecks, interval: Math.max(60, minIntervalSeconds) };
}

/** The parts of a document that may contain a secret. Alerts are checked separately. */
const placesOfSecrets = ({ headers, assertions, settings }: DeclaredEndpoint): object => ({
  headers,
  assertions,
  settings,
});

/** Whether the value is hidden wherever the settings are shown. See `withoutCredentials`. */
const isHiddenIn =
  ({ headers, assertions }: DeclaredEndpoint, hidesSetting: (path: readonly (string | number)[]) => boolean) =>
  ([field, ...inside]: readonly (string | number)[]): boolean => {
    if (field === 'settings') return hidesSetting(inside);
    const at = Number(inside[0]);
    if (field === 'headers') return isSensitiveHeader(headers?.[at]?.key ?? '');
    const assertion = assertions?.[at];
    return assertion !== undefined && comparesCredential(assertion);
  };

function settingsWithoutParents({ dependsOn: _dependsOn, ...endpoint }: PresentEndpoint): EndpointSettings {
  return settingsOf(endpoint);
}

/** Returns the error for a reference to a resource that doesn't exist. */
export const noSuch = (noun: string, path: string, pointer: string) =>
  ({
    pointer,
    code: 'not_found',
    message: `there is no ${noun} ${path}, neither in the document nor stored with this key`,
  }) as const;

/**
 * Returns the values that keep each stored secret: a mask if the stored one can be found by its name, or the value
 * itself.
 */
function keptOf(stored: PresentEndpoint, declared: DeclaredEndpoint): StoredAt {
  const isNamed = (name: string) => (header: { key: string }) => header.key.toLowerCase() === name.toLowerCase();
  return ([field, index, ...inside]) => {
    if (field === 'settings' && index !== undefined)
      return storedIn(shownSettings(stored.settings))([index, ...inside]);
    if (field === 'url') return stored.url;
    if (field === 'heartbeat') return MASK;
    if (field === 'body') return stored.body ? MASK : undefined;
    if (typeof index !== 'number') return undefined;
    if (field === 'headers') {
      const sent = declared.headers ?? [];
      const name = sent[index]?.key ?? '';
      const turn = sent.slice(0, index).filter(isNamed(name)).length;
      return stored.headers.filter(isNamed(name))[turn] ? MASK : undefined;
    }
    return field === 'assertions' ? keptTarget(stored.assertions, declared.assertions ?? [], index) : undefined;
  };
}

/**
 * Returns the target of the stored assertion with the same source, property, comparison, and position among those that
 * match.
 */
function keptTarget(
  stored: readonly Assertion[],
  declared: NonNullable<DeclaredEndpoint['assertions']>,
  index: number,
): string | undefined {
  const sent = declared[index];
  if (!sent || !isReference(sent.target)) return undefined;
  const isAlike = (one: { source: string; property?: string; comparison: string }): boolean =>
    one.source === sent.source && one.property === sent.property && one.comparison === sent.comparison;
  return stored.filter(isAlike)[declared.slice(0, index).filter(isAlike).length]?.target;
}

/** Replaces IDs with key paths, and leaves out fields that the key path already shows. */
function readable(view: object, references: References): object {
  const { depends_on, website_id: _, ...settings } = view as Record<string, unknown>;
  return { ...settings, depends_on: references.pathsOf('endpoint', depends_on) };
}
