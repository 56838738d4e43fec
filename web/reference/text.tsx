const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(((?:https?:|\/docs)[^)]+)\)/g;

/** Renders one line of the document's Markdown: `code`, **strong**, and links. */
export function Text({ text }: { text: string }) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [all, code, strong, link, href] = match;
    parts.push(text.slice(end, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<a href={href}>{link}</a>);
    end = match.index + all.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}

/** Renders the text as paragraphs. */
export const Paragraphs = ({ text }: { text: string }) => (
  <>
    {text.split(/\n\n+/).map((each) => (
      <p key={each}>
        <Text text={each} />
      </p>
    ))}
  </>
);

export const Json = ({ value }: { value: unknown }) => (
  <pre>
    <code>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code>
  </pre>
);
