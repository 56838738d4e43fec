import type { TextBodyRule } from '../../platform/http/body/text-body';
import { MAX_DOCUMENT_BYTES } from './document';

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
