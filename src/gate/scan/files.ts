const TEST_FILE =
  /(^|\/)(tests?|__tests__|spec|e2e|fixtures)\/|\.(test|spec)\.|(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$/;

/** Is it a test, by its path? */
export function isTestFile(file: string): boolean {
  return TEST_FILE.test(file);
}
