import type { TextBodyRule } from '../../platform/http/body/text-body';

/**
 * A configuration document: what an organization declares of itself. Field names and values are those of the API; what one
 * resource refers to is named by its key instead of its id.
 */
export interface ConfigurationDocument {
  version: 1;
  /** Who declares it; prune removes only what this owner has declared. */
  owner?: string;
  /** Values of `{$secret: NAME}`: never stored, exported or logged. */
  secrets?: Record<string, string>;
  contacts?: DeclaredContact[];
  websites?: DeclaredWebsite[];
  maintenance_windows?: DeclaredWindow[];
  status_pages?: DeclaredStatusPage[];
}

/** Stands for a value that is not in the document. Allowed wherever the API hides one from read keys. */
export interface SecretReference {
  $secret: string;
}

/** A text, or a secret that stands for one. */
export type Text = string | SecretReference;

export interface DeclaredContact {
  key: string;
  name: string;
  type: string;
  config: Record<string, unknown>;
  default?: boolean | null;
  alert_defaults?: Record<string, unknown> | null;
}

export interface DeclaredWebsite {
  key: string;
  name: string;
  url: string;
  enabled?: boolean | null;
  tags?: string[] | null;
  status_page?: { enabled?: boolean; slug?: string } | null;
  endpoints?: DeclaredEndpoint[];
}

export interface DeclaredEndpoint {
  key: string;
  name: string;
  type: string;
  url: Text;
  method?: string | null;
  /** Seconds. */
  interval?: number | null;
  /** Seconds. */
  timeout?: number | null;
  enabled?: boolean | null;
  headers?: { key: string; value: Text }[] | null;
  body?: Text | null;
  follow_redirects?: boolean | null;
  assertions?: DeclaredAssertion[] | null;
  tags?: string[] | null;
  /** Key paths: `website/endpoint`. */
  depends_on?: string[] | null;
  tls?: { verify?: boolean; ca?: string | null; server_name?: string | null; warn_days?: number | null } | null;
  /** The alerts that a new endpoint begins with; without the field it gets those of the default contacts. */
  alerts?: DeclaredAlert[];
}

export interface DeclaredAssertion {
  source: string;
  property?: string;
  comparison: string;
  target: Text;
  severity?: string;
}

/** Through a contact, or with a type and a config of its own. */
export interface DeclaredAlert {
  key: string;
  /** The key of a contact. */
  contact?: string;
  type?: string;
  config?: Record<string, unknown>;
  enabled?: boolean | null;
  condition?: string | null;
  failure_threshold?: number | null;
  success_threshold?: number | null;
  send_on_resolved?: boolean | null;
  /** Seconds. */
  after?: number | null;
  /** Seconds. */
  remind_every?: number | null;
  description?: string | null;
}

export interface DeclaredWindow {
  key: string;
  name: string;
  description?: string | null;
  starts_at?: string | null;
  ends_at?: string | null;
  cron?: string | null;
  timezone?: string | null;
  /** Seconds. */
  duration?: number | null;
  mute?: boolean | null;
  exclude_from_uptime?: boolean | null;
  public?: boolean | null;
  /** Everything, or what any of the lists names: keys of websites, key paths of endpoints, tags. */
  scope: { all: true } | { websites?: string[]; endpoints?: string[]; tags?: string[] };
}

/** A page of its own. That of a website is declared with the website. */
export interface DeclaredStatusPage {
  key: string;
  title: string;
  slug?: string | null;
  description?: string | null;
  accent?: string | null;
  domain?: string | null;
  enabled?: boolean | null;
  /** Write-only. */
  logo?: string | null;
  /** Key paths of endpoints, keys of websites. */
  groups: { name?: string; endpoints?: string[]; websites?: string[] }[];
}

/** Of a document with everything that it declares. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;
export const MAX_RESOURCES = 5000;

/** Bodies of all routes below it are texts, which the routes read themselves. */
export const CONFIGURATION_PATH = 'api/v1/configuration';

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml'];

/** Documents: YAML or JSON. */
export const DOCUMENT_BODY: TextBodyRule = { types: ['application/json', ...YAML], maxBytes: MAX_DOCUMENT_BYTES };

/** Files of other programs: also whatever is no YAML. */
export const FOREIGN_BODY: TextBodyRule = {
  types: [...DOCUMENT_BODY.types, 'application/x-ndjson', 'text/plain'],
  maxBytes: MAX_DOCUMENT_BYTES,
};
