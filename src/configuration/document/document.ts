import type { CreateAlertDto } from '../../alert/alert.dto';
import type { CreateContactDto } from '../../contact/contact.dto';
import type { CreateEndpointDto } from '../../endpoint/endpoint.dto';
import type { HeartbeatDto } from '../../endpoint/heartbeat/heartbeat.dto';
import type { CreateMaintenanceWindowDto } from '../../maintenance/maintenance-window.dto';
import type { TextBodyRule } from '../../platform/http/body/text-body';
import type { CreatePublicPageDto } from '../../status-page/settings/public-page.dto';
import type { CreateProbeDto } from '../../probe/probe.dto';
import type { NewWebsiteDto } from '../../website/website.dto';

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
  probes?: DeclaredProbe[];
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

/** What is sent to create it, but for what a document says otherwise; `null` stands for a default. */
type Declared<Dto, Otherwise extends keyof Dto> = {
  [Field in keyof Dto as Exclude<Field, Otherwise>]: Dto[Field] | (undefined extends Dto[Field] ? null : never);
} & { key: string };

export interface DeclaredContact extends Declared<CreateContactDto, 'key' | 'config' | 'alert_defaults'> {
  config: Record<string, unknown>;
  alert_defaults?: object | null;
}

/** Its token is never in a document: one that is made has none until it is rotated. */
export type DeclaredProbe = Declared<CreateProbeDto, 'key'>;

export interface DeclaredWebsite extends Declared<NewWebsiteDto, 'key'> {
  status_page?: { enabled?: boolean; slug?: string } | null;
  endpoints?: DeclaredEndpoint[];
}

export interface DeclaredEndpoint extends Declared<
  CreateEndpointDto,
  'key' | 'website_id' | 'url' | 'heartbeat' | 'headers' | 'body' | 'assertions' | 'depends_on'
> {
  /** A heartbeat needs none. */
  url?: Text;
  heartbeat?: (Omit<HeartbeatDto, 'ping_id' | 'push_token'> & { ping_id?: Text; push_token?: Text }) | null;
  headers?: { key: string; value: Text }[] | null;
  body?: Text | null;
  assertions?: DeclaredAssertion[] | null;
  /** Key paths: `website/endpoint`. */
  depends_on?: string[] | null;
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
export interface DeclaredAlert extends Declared<
  CreateAlertDto,
  'key' | 'endpoint_id' | 'contact_id' | 'type' | 'config'
> {
  /** The key of a contact. */
  contact?: string;
  type?: string;
  config?: Record<string, unknown>;
}

export interface DeclaredWindow extends Declared<CreateMaintenanceWindowDto, 'key' | 'scope'> {
  /** Everything, or what any of the lists names: keys of websites, key paths of endpoints, tags. */
  scope: { all: true } | { websites?: string[]; endpoints?: string[]; tags?: string[] };
}

/** A page of its own. That of a website is declared with the website. */
export interface DeclaredStatusPage extends Declared<CreatePublicPageDto, 'key' | 'groups'> {
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
