/** Returns `docs/reference/problems.md`, generated from the description of each code in the API document. */
exports.problemsPage = ({ components: { schemas } }) => {
  const codes = (name) => Object.entries(schemas[name].properties.code['x-enumDescriptions']);
  const rows = codes('Problem').map(([code, text]) => {
    const [, status, words] = /^(\d+): (.*)$/.exec(text);
    return `| \`${code}\` | ${status} | ${words} |`;
  });
  const fields = codes('FieldProblem').map(([code, text]) => `| \`${code}\` | ${text} |`);
  return `# API errors

This page lists every error code of the API and how to fix the error.

Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`. \`detail\` describes this occurrence. Look up
\`request_id\` in the log for more. A running service has the same list at \`/docs#problems\`. \`npm run openapi\` writes this
page.

## Codes of requests

| \`code\` | Status | Meaning and solution |
| --- | --- | --- |
${rows.join('\n')}

## Codes of fields

\`errors\` lists the invalid fields. Each has an RFC 6901 \`pointer\` into the body, or \`?name\` for a query parameter.

| \`code\` | Solution |
| --- | --- |
${fields.join('\n')}
`;
};
