import type { BrokenRule } from '../channel/provider-double';
import type { ReceivedMail } from '../servers/smtp-sink';
import { readMail, type ReadMail } from './mail';
import { Rules } from './rules';

/** Header fields that may occur at most once, from the table in RFC 5322, section 3.6. */
const ONCE = ['date', 'from', 'sender', 'reply-to', 'to', 'cc', 'message-id', 'in-reply-to', 'references', 'subject'];
const REQUIRED = ['date', 'from', 'message-id', 'subject', 'mime-version', 'content-type'];
/** The maximum line length in bytes, not counting the line break: RFC 5322, section 2.1.1. */
const MAX_LINE = 998;
const MESSAGE_ID = /<[^<>\s@]+@[^<>\s@]+>/;
const MESSAGE_IDS = new RegExp(`^(?:${MESSAGE_ID.source} ?)+$`);

/**
 * Validates an email with a text and an HTML part. Headers that untrusted text could inject, such as `Bcc` or a second
 * `To`, break the rules. An envelope recipient (RFC 5321) that is missing from the header also does, which is stricter
 * than the standards.
 */
export function brokenMailRules(mail: ReceivedMail): readonly BrokenRule[] {
  const error = (path: string): string => `5.6.0 The mail is not acceptable: ${path || 'its form'}`;
  const rules = new Rules({ vendor: 'Mail', status: 554, error });
  const read = readMail(mail.raw);
  judgeBytes(rules, mail.raw);
  judgeHeader(rules, read);
  judgeEnvelope(rules, mail, read);
  judgeParts(rules, read);
  return rules.broken;
}

function judgeBytes(rules: Rules, raw: string): void {
  rules.must(!/\r(?!\n)|(?<!\r)\n/.test(raw), '', 'without a CR or LF that ends no line', 'one alone');
  const longest = Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)));
  rules.must(longest <= MAX_LINE, '', `of lines of at most ${MAX_LINE} bytes`, longest);
}

function judgeHeader(rules: Rules, { lines, headers }: ReadMail): void {
  for (const { name, value } of lines) {
    rules.must(/^[!-9;-~]+$/.test(name), name, 'a header field: a name, a colon, a value', value);
    rules.must(/^[\t\x20-\x7e]*$/.test(value), name, 'printable ASCII on one line', value);
  }
  for (const name of REQUIRED) rules.required(name, headers[name]);
  for (const name of ONCE) {
    const count = lines.filter((line) => line.name === name).length;
    rules.must(count <= 1, name, 'there at most once', count);
  }
  rules.must(headers['bcc'] === undefined, 'bcc', 'absent', headers['bcc']);
  rules.must(!Number.isNaN(Date.parse(headers['date'] ?? '')), 'date', 'a date', headers['date']);
  const id = { max: MAX_LINE, pattern: new RegExp(`^${MESSAGE_ID.source}$`), form: 'one <id@domain>' };
  rules.text('message-id', headers['message-id'], id);
  const ids = { max: Infinity, pattern: MESSAGE_IDS, form: 'a list of <id@domain>' };
  for (const name of ['references', 'in-reply-to']) rules.text(name, headers[name], ids);
}

const addressesIn = (header: string | undefined): string[] =>
  (header ?? '').split(',').flatMap((one) => /<([^<>]+)>\s*$/.exec(one)?.[1] ?? (one.trim() || []));

function judgeEnvelope(rules: Rules, { from, recipients }: ReceivedMail, { headers }: ReadMail): void {
  const senders = addressesIn(headers['from']);
  rules.must(senders.length === 1 && senders[0] === from, 'MAIL FROM', `the address of From (${senders.join()})`, from);
  const named = [...addressesIn(headers['to']), ...addressesIn(headers['cc'])];
  const isSame = [...recipients].sort().join() === [...named].sort().join();
  rules.must(isSame, 'RCPT TO', `the addresses of To and Cc (${named.join()})`, recipients);
}

function judgeParts(rules: Rules, { headers, parts }: ReadMail): void {
  const type = headers['content-type'] ?? '';
  rules.must(/^multipart\/alternative;/i.test(type), 'content-type', 'multipart/alternative', type);
  rules.must(headers['mime-version'] === '1.0', 'mime-version', '1.0', headers['mime-version']);
  // Email clients show the last alternative: RFC 2046, section 5.1.4.
  const types = parts.map((part) => part.type);
  rules.must(types.join() === 'text/plain,text/html', 'parts', 'text/plain and then text/html', types);
  for (const { type: part, text } of parts) rules.must(text.trim() !== '', part, 'more than blanks', text);
}
