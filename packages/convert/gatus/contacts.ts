import { cut } from '../../../src/platform/text/text-limits';
import type { DeclaredContact } from '../../../src/configuration/document/document';
import type { ChannelRules, ReportEntry } from '../conversion';
import { keyFrom } from '../../../src/configuration/document/keys';
import type { Secrets } from './variables';
import { Differences, Fields, isMapping, type Mapping, quoted } from './fields';
import { readRule } from './alert-rule';
import { channelOf } from './providers';

const MAX_NAME = 255;

/** Provider fields that aren't settings. */
const NO_SETTINGS = new Set(['default-alert', 'overrides', 'group']);

/** Applies the settings of a group or alert on top of the provider's settings. Empty values are ignored. */
function merged(base: Mapping, override: Mapping): Mapping {
  const said = Object.entries(override).filter(([key, value]) => !NO_SETTINGS.has(key) && !isEmpty(value));
  return {
    ...Object.fromEntries(Object.entries(base).filter(([key]) => !NO_SETTINGS.has(key))),
    ...Object.fromEntries(said),
  };
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);

interface Provider {
  settings: Mapping;
  overrides: Mapping[];
  defaultAlert: Mapping;
}

/** The contact for an alert, or the reason why there is none. */
export type Route = { contact: string } | { refused: string };

/**
 * The contacts in a document: one for each provider, and one for each distinct set of overrides in groups and alerts.
 */
export class Contacts {
  readonly declared: DeclaredContact[] = [];
  private readonly providers = new Map<string, Provider>();
  /** Routes by provider and settings. */
  private readonly routes = new Map<string, Route>();
  private readonly keys = new Set<string>();

  constructor(
    private readonly secrets: Secrets,
    private readonly report: (entry: ReportEntry) => void,
    private readonly channels: ChannelRules,
  ) {}

  /** Declares the contacts of `alerting.<name>`. */
  add(name: string, value: unknown, at: string): void {
    if (!isMapping(value)) {
      this.report({ at, name, result: 'skipped', why: 'it has no settings' });
      return;
    }
    const { 'default-alert': said = null, overrides: list = [] } = value;
    const overrides = Array.isArray(list) ? list.filter(isMapping) : [];
    if (!Array.isArray(list) || overrides.length < list.length)
      this.report({ at, name, result: 'skipped', why: `${quoted(list)} is not a list of overrides` });
    if (said !== null && !isMapping(said))
      this.report({ at, name, result: 'skipped', why: `${quoted(said)} is not a default-alert` });
    const settings = merged(value, {});
    this.providers.set(name, { settings, overrides, defaultAlert: isMapping(said) ? said : {} });
    this.route(name, settings, { label: name, at });
    for (const override of overrides)
      this.route(name, merged(value, override), { label: `${name} (${quoted(override['group'])})`, at });
  }

  /** Returns the alert defaults for the type. */
  defaultAlert(type: string): Mapping {
    return this.providers.get(type)?.defaultAlert ?? {};
  }

  /** Returns the contact for an alert on an endpoint in a group. Creates one if the alert has its own settings. */
  routeOf(type: string, group: string | null, own: unknown, label: string, at: string): Route {
    const provider = this.providers.get(type);
    if (!provider) return { refused: `alerting.${type} is not configured` };
    const override = provider.overrides.find((candidate) => candidate['group'] === group);
    const settings = merged(merged(provider.settings, override ?? {}), isMapping(own) ? own : {});
    return this.route(type, settings, { label: `${type} (${label})`, at });
  }

  private route(type: string, settings: Mapping, { label, at }: { label: string; at: string }): Route {
    const known = this.routes.get(`${type} ${JSON.stringify(settings)}`);
    if (known) return known;
    const route = this.declare(type, settings, label, at);
    this.routes.set(`${type} ${JSON.stringify(settings)}`, route);
    return route;
  }

  private declare(type: string, settings: Mapping, label: string, at: string): Route {
    const differences = new Differences();
    const channel = channelOf(type, new Fields(settings, differences), this.secrets, this.channels);
    if ('refused' in channel) {
      this.report({ at, name: label, result: 'skipped', why: channel.refused });
      return channel;
    }
    const key = keyFrom(label, this.keys);
    const byDefault = this.defaultAlert(type);
    const defaults = readRule(new Fields(byDefault, differences, 'default-alert.'));
    this.declared.push({
      key,
      name: cut(label, MAX_NAME),
      type: channel.type,
      config: channel.config,
      ...(Object.keys(byDefault).length > 0 ? { alert_defaults: { ...defaults } } : {}),
    });
    this.report({
      at,
      name: label,
      result: differences.words === null ? 'mapped' : 'approximated',
      why: differences.words,
    });
    return { contact: key };
  }
}
