/** Returns `docs/problems.md`, generated from the description of each code in the API document. */
exports.problemsPage = ({ components: { schemas } }) => {
  const codes = (name) => Object.entries(schemas[name].properties.code['x-enumDescriptions']);
  const rows = codes('Problem').map(([code, text]) => {
    const [, status, words] = /^(\d+): (.*)$/.exec(text);
    return `| \`${code}\` | ${status} | ${words} |`;
  });
  const fields = codes('FieldProblem').map(([code, text]) => `| \`${code}\` | ${text} |`);
  return `# Problems, and what to do

Every error of the API is \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`detail\` says what it is about this time, and
\`request_id\` finds it in the log. The same list is at \`/docs#problems\` of a running service. \`npm run openapi\` writes this page.

## Of a request

| \`code\` | Status | What it is, and what to do |
| --- | --- | --- |
${rows.join('\n')}

## Of a field

\`errors\` names each wrong field by an RFC 6901 \`pointer\` into the body, or \`?name\` for a query parameter.

| \`code\` | What to do |
| --- | --- |
${fields.join('\n')}
`;
};
