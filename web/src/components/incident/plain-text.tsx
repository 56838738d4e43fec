import { linked } from '../../logic/incident-public';

/** What somebody wrote: plain, with its lines, and only `http(s)://` as a link. */
export const PlainText = ({ children }: { children: string }) => (
  <p class="plain-text">
    {linked(children).map((piece, index) =>
      typeof piece === 'string' ? (
        piece
      ) : (
        <a key={index} href={piece.href} target="_blank" rel="noreferrer nofollow">
          {piece.href}
        </a>
      ),
    )}
  </p>
);
