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
 * A configuration document, which declares an organization's resources. Field names and values are the same as in the
 * API. References between resources use keys instead of IDs.
 */
export interface ConfigurationDocument {
  version: 1;
  /** The document's owner. Prune only removes resources that this owner has declared. */
  owner?: string;
  /** The values for `{$secret: NAME}`. They are never stored, exported, or logged. */
  secrets?: Record<string, string>;
  contacts?: DeclaredContact[];
  probes?: DeclaredProbe[];
  websites?: DeclaredWebsite[];
  maintenance_windows?: DeclaredWindow[];
  status_pages?: DeclaredStatusPage[];
}

/** A reference to a value outside the document. Allowed wherever the API hides a value from read keys. */
export interface SecretReference {
  $secret: string;
}

/** A string, or a reference to a secret string. */
export type Text = string | SecretReference;

/** The fields that create a resource, unless the document has a different form for them. `null` means the default. */
type Declared<Dto, Otherwise extends keyof Dto> = {
  [Field in keyof Dto as Exclude<Field, Otherwise>]: Dto[Field] | (undefined extends Dto[Field] ? null : never);
} & { key: string };

export interface DeclaredContact extends Declared<CreateContactDto, 'key' | 'config' | 'alert_defaults'> {
  config: Record<string, unknown>;
  alert_defaults?: object | null;
}

/** A declared probe. A document never contains its token. A new probe has no token until it is rotated. */
export type DeclaredProbe = Declared<CreateProbeDto, 'key'>;

export interface DeclaredWebsite extends Declared<NewWebsiteDto, 'key'> {
  status_page?: { enabled?: boolean; slug?: string } | null;
  endpoints?: DeclaredEndpoint[];
}

export interface DeclaredEndpoint extends Declared<
  CreateEndpointDto,
  'key' | 'website_id' | 'url' | 'heartbeat' | 'headers' | 'body' | 'assertions' | 'settings' | 'depends_on'
> {
  /** The URL, which heartbeats don't need. */
  url?: Text;
  heartbeat?: (Omit<HeartbeatDto, 'ping_id' | 'push_token'> & { ping_id?: Text; push_token?: Text }) | null;
  headers?: { key: string; value: Text }[] | null;
  body?: Text | null;
  assertions?: DeclaredAssertion[] | null;
  /** The settings of the type. Secrets may be references. */
  settings?: object | null;
  /** Key paths, such as `website/endpoint`. */
  depends_on?: string[] | null;
  /** The endpoint's alerts. Without this field, a new endpoint gets alerts through the default contacts. */
  alerts?: DeclaredAlert[];
}

export interface DeclaredAssertion {
  source: string;
  property?: string;
  comparison: string;
  target: Text;
  severity?: string;
}

/** A declared alert. It uses either a contact or its own type and config. */
export interface DeclaredAlert extends Declared<
  CreateAlertDto,
  'key' | 'endpoint_id' | 'contact_id' | 'type' | 'config'
> {
  /** The contact's key. */
  contact?: string;
  type?: string;
  config?: Record<string, unknown>;
}

export interface DeclaredWindow extends Declared<CreateMaintenanceWindowDto, 'key' | 'scope'> {
  /** Everything, or the resources in any of the lists: website keys, endpoint key paths, and tags. */
  scope: { all: true } | { websites?: string[]; endpoints?: string[]; tags?: string[] };
}

/** A separate status page. A website's page is declared with the website. */
export interface DeclaredStatusPage extends Declared<CreatePublicPageDto, 'key' | 'groups'> {
  /** Endpoint key paths and website keys. */
  groups: { name?: string; endpoints?: string[]; websites?: string[] }[];
}

/** The maximum size of a document, including everything that it declares. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;
export const MAX_RESOURCES = 5000;

/** The path of all configuration routes. Their bodies are text, which the routes parse themselves. */
export const CONFIGURATION_PATH = 'api/v1/configuration';

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml'];

/** A document as a request body, as YAML or JSON. */
export const DOCUMENT_BODY: TextBodyRule = { types: ['application/json', ...YAML], maxBytes: MAX_DOCUMENT_BYTES };

/** A file from another program as a request body, which may be neither YAML nor JSON. */
export const FOREIGN_BODY: TextBodyRule = {
  types: [...DOCUMENT_BODY.types, 'application/x-ndjson', 'text/plain'],
  maxBytes: MAX_DOCUMENT_BYTES,
};
