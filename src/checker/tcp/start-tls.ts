import { Dialogue, line, type Reader, Refused } from '../dialogue';

/** The protocols in which a plain connection can be switched to TLS. */
export const STARTTLS = ['smtp', 'imap', 'pop3', 'ftp', 'postgres'] as const;
export type StartTls = (typeof STARTTLS)[number];

const MAX_LINES = 100;

/** Asks the server to start TLS. Returns `null` if it doesn't, and records the failure. */
export async function askForTls(dialogue: Dialogue, protocol: StartTls): Promise<true | null> {
  switch (protocol) {
    case 'smtp': {
      if ((await dialogue.ask(null, reply('220'))) === null) return null;
      if ((await dialogue.ask('EHLO uptime-monitor.invalid\r\n', reply('250'))) === null) return null;
      return dialogue.ask('STARTTLS\r\n', reply('220'));
    }
    case 'ftp': {
      if ((await dialogue.ask(null, reply('220'))) === null) return null;
      return dialogue.ask('AUTH TLS\r\n', reply('234'));
    }
    case 'imap': {
      if ((await dialogue.ask(null, starting('* OK'))) === null) return null;
      return dialogue.ask('a1 STARTTLS\r\n', tagged);
    }
    case 'pop3': {
      if ((await dialogue.ask(null, starting('+OK'))) === null) return null;
      return dialogue.ask('STLS\r\n', starting('+OK'));
    }
    case 'postgres':
      return dialogue.ask(SSL_REQUEST, (received) => {
        if (received.length === 0) return null;
        if (received[0] !== 0x53) throw new Refused('The server does not support TLS.');
        return { value: true, used: 1 };
      });
    default:
      return protocol satisfies never;
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Reads a reply of SMTP or FTP, which may have several lines. */
const reply =
  (code: string): Reader<true> =>
  (received) => {
    let used = 0;
    for (let lines = 0; lines < MAX_LINES; lines++) {
      const next = line(received.subarray(used));
      if (next === null) return null;
      used += next.used;
      if (lines === 0 && !next.value.startsWith(code)) throw new Refused(`The server did not answer with ${code}.`);
      if (next.value.startsWith(`${code} `) || next.value === code) return { value: true, used };
    }
    throw new Refused(`The server sent a reply of more than ${MAX_LINES} lines.`);
  };

const starting =
  (text: string): Reader<true> =>
  (received) => {
    const next = line(received);
    if (next === null) return null;
    if (!next.value.startsWith(text)) throw new Refused(`The server did not answer with ${text}.`);
    return { value: true, used: next.used };
  };

/** Lines without the tag of the command may come first. */
const tagged: Reader<true> = (received) => {
  let used = 0;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const next = line(received.subarray(used));
    if (next === null) return null;
    used += next.used;
    if (next.value.startsWith('a1 OK')) return { value: true, used };
    if (next.value.startsWith('a1 ')) throw new Refused('The server refused STARTTLS.');
  }
  throw new Refused(`The server sent a reply of more than ${MAX_LINES} lines.`);
};
