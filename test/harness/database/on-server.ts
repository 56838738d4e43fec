/** For what needs several sessions, which the embedded database has not: say so in the title. */
export const onServer = (process.env['TEST_DATABASE_URL'] ?? '') === '' ? it.skip : it;
