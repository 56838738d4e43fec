import { piecesOf } from '../../../../src/status-page/incident-words';

/** User-written text. It is shown as plain text with line breaks, and only `http(s)://` URLs become links. */
export const PlainText = ({ children }: { children: string }) => (
  <p class="plain-text">
    {piecesOf(children).map(({ text, href }, index) =>
      href === null ? (
        text
      ) : (
        <a key={index} href={href} target="_blank" rel="noreferrer nofollow">
          {text}
        </a>
      ),
    )}
  </p>
);
