const { execFileSync } = require('node:child_process');

// The command line and the embedded database need these files, even when they run from their sources.
for (const script of ['packages/client/generate.mjs', 'scripts/make-template.mjs'])
  execFileSync(process.execPath, [`${__dirname}/${script}`], { stdio: ['ignore', 'inherit', 'inherit'] });

const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch,
  // The same for all projects, so that they share the cache of files that several of them read.
  id: 'uptime-monitor',
  roots: ['<rootDir>/src', '<rootDir>/packages', '<rootDir>/test'],
  testEnvironment: '<rootDir>/scripts/jest/environment.cjs',
  transform: { '\\.ts$': '<rootDir>/scripts/jest/transformer.cjs' },
  moduleNameMapper: { '^openid-client$': '<rootDir>/scripts/jest/openid-client.cjs' },
  ...more,
});

/** On a cluster, specs that use history also run. The others query only tables that stay on the coordinator. */
const ON_CITUS = [
  'integration/history/history-{rollup,storage}',
  'integration/delivery/{alert-evaluation,consistency}',
  'e2e/alert/*',
  'e2e/audit/audit',
  'e2e/dashboard/*',
  'e2e/endpoint/{endpoints,websites}',
  'e2e/history/*',
  'e2e/identity/{deletion,organizations,quotas}',
  'e2e/monitoring/{monitoring,recorder,recorder-fairness,recorder-poison,schedule,give-back}',
];
const citusSpecs = process.env.CITUS_URLS ? ON_CITUS.map((name) => `<rootDir>/test/${name}.spec.ts`) : [];

const DATABASE = '<rootDir>/test/harness/database/global-setup.ts';
/** Written by scripts/test.mjs: files that require many specs, which share modules and services. */
const GROUPS = process.env.TEST_GROUPS;

/** @type {import('jest').Config} */
module.exports = {
  testSequencer: '<rootDir>/scripts/jest/sequencer.cjs',
  // Ten times the duration of the slowest test, so that only a test that hangs reaches it.
  testTimeout: 90_000,
  projects: GROUPS
    ? [
        project('groups', [`${GROUPS}/*.group.cjs`], {
          roots: ['<rootDir>/src', '<rootDir>/packages', '<rootDir>/test', GROUPS],
          globalSetup: DATABASE,
        }),
      ]
    : [
        project('unit', [
          '<rootDir>/src/**/*.spec.ts',
          '<rootDir>/packages/**/*.spec.ts',
          '<rootDir>/test/{chaos,power-cut}/**/*.spec.ts',
        ]),
        project('contract', ['<rootDir>/test/contract/**/*.spec.ts']),
        project('repository', ['<rootDir>/test/repository/**/*.spec.ts']),
        project('integration', ['<rootDir>/test/integration/**/*.spec.ts'], { globalSetup: DATABASE }),
        project('faults', ['<rootDir>/test/faults/**/*.spec.ts'], { globalSetup: DATABASE }),
        // The package specs never change, so they import the test kit from the folder that it used to have.
        project('package', ['<rootDir>/test/package/**/*.spec.ts'], {
          moduleNameMapper: { '/src/testing/(.*)$': '<rootDir>/packages/testing/$1' },
        }),
        project('bounds', ['<rootDir>/test/bounds/**/*.spec.ts']),
        project('citus', ['<rootDir>/test/citus/**/*.spec.ts', ...citusSpecs]),
        project('web', ['<rootDir>/test/web/**/*.spec.ts'], { globalSetup: '<rootDir>/test/web/built.ts' }),
        project('e2e', ['<rootDir>/test/e2e/**/*.spec.ts'], { globalSetup: DATABASE }),
      ],
};
