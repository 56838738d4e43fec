import { piecesOf } from '../../../../src/status-page/incident-words';

/** What somebody wrote: plain, with its lines, and only `http(s)://` as a link. */
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
