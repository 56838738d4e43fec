import type { ReceivedMail } from '../servers/smtp-sink';

/** A decoded part of an email body. */
export interface MailPart {
  /** The `Content-Type` without parameters, in lower case. */
  type: string;
  text: string;
}

export interface ReadMail {
  /** Header lines, unfolded and in order. Names are in lower case. */
  lines: { name: string; value: string }[];
  /** The headers by name. If a name occurs several times, the last one is used. */
  headers: Readonly<Record<string, string>>;
  parts: MailPart[];
}

/** Parses the header and parts of a multipart email (RFC 5322, RFC 2046). */
export function readMail(raw: string): ReadMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => ({
      name: line.slice(0, line.indexOf(':')).toLowerCase(),
      value: line.slice(line.indexOf(':') + 2),
    }));
  const headers = Object.fromEntries(lines.map(({ name, value }) => [name, value]));
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = rest
    .join('\r\n\r\n')
    .split(`--${boundary}`)
    .filter((part) => part.includes('Content-Type'))
    .map(readPart);
  return { lines, headers, parts };
}

function readPart(part: string): MailPart {
  const split = part.indexOf('\r\n\r\n');
  const [head, body] = [part.slice(0, split), part.slice(split + 4)];
  const type = (/Content-Type: ([^;\s]+)/i.exec(head)?.[1] ?? '').toLowerCase();
  if (/base64/i.test(head)) return { type, text: Buffer.from(body, 'base64').toString('utf8') };
  const bytes = /quoted-printable/i.test(head) ? fromHex(body.replace(/=\r\n/g, '')) : body;
  return { type, text: Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n') };
}

const fromHex = (text: string): string =>
  text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)));

/** Decodes the encoded words in a header (RFC 2047). */
export function decodeWords(header: string): string {
  const word = /=\?utf-8\?([bq])\?([^?]*)\?=/gi;
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(word, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : Buffer.from(fromHex(text.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    );
}

/** Returns the email for golden files, without the parts that change each time: the date and the random boundary. */
export const goldenOf = (mail: ReceivedMail): string =>
  `MAIL FROM:<${mail.from}>\nRCPT TO:<${mail.recipients.join('>, <')}>\n\n${mail.raw
    .replaceAll('\r\n', '\n')
    .replace(/^Date: .*$/m, 'Date: [date]')
    .replace(/--_NmP-[0-9a-f]+-Part_\d/g, '[boundary]')}`;
