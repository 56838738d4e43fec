/**
 * For tests that need several sessions, which the embedded database doesn't support. Mention the server in the title.
 */
export const onServer = (process.env['TEST_DATABASE_URL'] ?? '') === '' ? it.skip : it;
