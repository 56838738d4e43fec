const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch,
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.spec.json' }] },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/data'],
  ...more,
});

/** @type {import('jest').Config} */
module.exports = {
  // Ten times what the slowest needs: only a test that hangs may meet it.
  testTimeout: 90_000,
  projects: [
    project('unit', ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/chaos/**/*.spec.ts']),
    project('contract', ['<rootDir>/test/contract/**/*.spec.ts']),
    project('architecture', ['<rootDir>/test/*.spec.ts']),
    project('faults', ['<rootDir>/test/faults/**/*.spec.ts'], {
      globalSetup: '<rootDir>/test/harness/global-setup.ts',
    }),
    project('web', ['<rootDir>/test/web/**/*.spec.ts'], { globalSetup: '<rootDir>/test/web/built.ts' }),
    project('e2e', ['<rootDir>/test/e2e/**/*.spec.ts'], { globalSetup: '<rootDir>/test/harness/global-setup.ts' }),
  ],
};
