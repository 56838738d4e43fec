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
 * A configuration document: the resources that an organization declares. Field names and values are the same as in the
 * API. References between resources use keys instead of IDs.
 */
export interface ConfigurationDocument {
  version: 1;
  /** The owner of the document. Prune only removes resources that this owner has declared. */
  owner?: string;
  /** The values of `{$secret: NAME}`. They are never stored, exported, or logged. */
  secrets?: Record<string, string>;
  contacts?: DeclaredContact[];
  probes?: DeclaredProbe[];
  websites?: DeclaredWebsite[];
  maintenance_windows?: DeclaredWindow[];
  status_pages?: DeclaredStatusPage[];
}

/** A reference to a value outside of the document. Allowed wherever the API hides a value from read keys. */
export interface SecretReference {
  $secret: string;
}

/** A text, or a reference to a secret text. */
export type Text = string | SecretReference;

/** The fields that create a resource, unless the document has its own form for them. `null` means the default. */
type Declared<Dto, Otherwise extends keyof Dto> = {
  [Field in keyof Dto as Exclude<Field, Otherwise>]: Dto[Field] | (undefined extends Dto[Field] ? null : never);
} & { key: string };

export interface DeclaredContact extends Declared<CreateContactDto, 'key' | 'config' | 'alert_defaults'> {
  config: Record<string, unknown>;
  alert_defaults?: object | null;
}

/** The token of a probe is never in a document. A new probe has none until it is rotated. */
export type DeclaredProbe = Declared<CreateProbeDto, 'key'>;

export interface DeclaredWebsite extends Declared<NewWebsiteDto, 'key'> {
  status_page?: { enabled?: boolean; slug?: string } | null;
  endpoints?: DeclaredEndpoint[];
}

export interface DeclaredEndpoint extends Declared<
  CreateEndpointDto,
  'key' | 'website_id' | 'url' | 'heartbeat' | 'headers' | 'body' | 'assertions' | 'depends_on'
> {
  /** Heartbeats need no URL. */
  url?: Text;
  heartbeat?: (Omit<HeartbeatDto, 'ping_id' | 'push_token'> & { ping_id?: Text; push_token?: Text }) | null;
  headers?: { key: string; value: Text }[] | null;
  body?: Text | null;
  assertions?: DeclaredAssertion[] | null;
  /** Key paths: `website/endpoint`. */
  depends_on?: string[] | null;
  /** The alerts of a new endpoint. Without this field it gets alerts through the default contacts. */
  alerts?: DeclaredAlert[];
}

export interface DeclaredAssertion {
  source: string;
  property?: string;
  comparison: string;
  target: Text;
  severity?: string;
}

/** Uses a contact, or its own type and config. */
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
  /** Everything, or the resources in any of the lists: keys of websites, key paths of endpoints, and tags. */
  scope: { all: true } | { websites?: string[]; endpoints?: string[]; tags?: string[] };
}

/** A separate status page. The page of a website is declared with the website. */
export interface DeclaredStatusPage extends Declared<CreatePublicPageDto, 'key' | 'groups'> {
  /** Key paths of endpoints, and keys of websites. */
  groups: { name?: string; endpoints?: string[]; websites?: string[] }[];
}

/** Maximum size of a document with everything that it declares. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;
export const MAX_RESOURCES = 5000;

/** The path of all configuration routes. Their bodies are texts, which the routes parse themselves. */
export const CONFIGURATION_PATH = 'api/v1/configuration';

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml'];

/** The body of a document, as YAML or JSON. */
export const DOCUMENT_BODY: TextBodyRule = { types: ['application/json', ...YAML], maxBytes: MAX_DOCUMENT_BYTES };

/** The body of a file of another program, which may also be neither YAML nor JSON. */
export const FOREIGN_BODY: TextBodyRule = {
  types: [...DOCUMENT_BODY.types, 'application/x-ndjson', 'text/plain'],
  maxBytes: MAX_DOCUMENT_BYTES,
};
