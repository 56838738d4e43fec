const FIRST_LINE = 'check_http only looks at the status line and the headers that it needs.';
const STRICT = 'Readers disagree on such a response, so the service refuses it (decision 0008).';
const CUT_LOCATION = 'check_http cuts the URL at its first byte beyond ASCII.';
const NOT_VERIFIED = 'check_http does not verify certificates.';

/**
 * The reasons why another program's verdict differs from the service's, by difference. A reason without a difference
 * also fails.
 */
export const REASONS: Readonly<Record<string, string>> = {
  'HTTP: a-blank-before-the-colon-of-a-length: check_http': FIRST_LINE,
  'HTTP: a-blank-before-the-colon-of-a-length: blackbox_exporter': STRICT,
  'HTTP: a-carriage-return-in-a-header: check_http': FIRST_LINE,
  'HTTP: a-carriage-return-in-a-header: blackbox_exporter': STRICT,
  'HTTP: a-cookie-before-the-redirect: check_http': 'check_http does not keep cookies.',
  'HTTP: a-location-in-latin-1: check_http': CUT_LOCATION,
  'HTTP: a-location-in-utf-8: check_http': CUT_LOCATION,
  'HTTP: null-byte-in-a-header: check_http': FIRST_LINE,
  'HTTP: null-byte-in-a-header: blackbox_exporter': STRICT,
  'HTTP: two-different-lengths: check_http': FIRST_LINE,
  'HTTP, hostile: a body without end: check_http': 'The service reads at most 1 MiB of a body.',
  'HTTP, hostile: a body without end: blackbox_exporter': 'The service reads at most 1 MiB of a body.',
  'HTTP, hostile: chunks without end: check_http': 'The service reads at most 1 MiB of a body.',
  'HTTP, hostile: chunks without end: blackbox_exporter': 'The service reads at most 1 MiB of a body.',
  'HTTP, hostile: a header of one megabyte: check_http': 'The service reads at most 64 KiB of headers.',
  'HTTP, hostile: a header of one megabyte: blackbox_exporter': 'The service reads at most 64 KiB of headers.',
  'HTTP, hostile: a body that is cut: check_http': FIRST_LINE,
  'HTTP, hostile: chunks that are cut: check_http': FIRST_LINE,
  'HTTP, hostile: two lengths that differ: check_http': FIRST_LINE,
  'HTTP, hostile: a length and chunks at once: check_http': FIRST_LINE,
  'HTTP, hostile: a length and chunks at once: blackbox_exporter': STRICT,
  'HTTP, hostile: a chunk that is no number: check_http': FIRST_LINE,
  'HTTP, hostile: a switch to another protocol: check_http': FIRST_LINE,
  'HTTP, hostile: NUL in a header: check_http': FIRST_LINE,
  'HTTP, hostile: NUL in a header: blackbox_exporter': STRICT,
  'HTTP, hostile: a redirect without an address: check_http':
    'check_http counts a redirect that it cannot follow as a success.',
  'HTTPS: a-leaf-that-has-expired: check_http': NOT_VERIFIED,
  'HTTPS: an-intermediate-that-has-expired: check_http': NOT_VERIFIED,
  'HTTPS: an-intermediate-that-is-not-valid-yet: check_http': NOT_VERIFIED,
  'DNS: an-empty-answer: blackbox_exporter': 'blackbox_exporter accepts the code NOERROR. The service needs a record.',
  'SSH: an identification of SSH 1.99: blackbox_exporter':
    'The usual expression `^SSH-2.0-` does not match. 1.99 means 2.0 and older versions (RFC 4253, section 5.1).',
  'SSH: an identification of SSH 1.5: check_ssh': 'check_ssh accepts every version. The service needs SSH 2.0.',
  'SSH: lines before the identification: check_ssh':
    'check_ssh needs the identification first. Other lines may come before it (RFC 4253, section 4.2).',
  'SSH: half an identification: check_ssh': 'check_ssh does not wait for the end of the line.',
};
