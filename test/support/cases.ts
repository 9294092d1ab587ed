/** Whether to run all random cases: `npm run test:all` and CI do. */
const isThorough = process.env.ALL_CASES !== undefined || process.env.CI !== undefined

/** The number of random cases: `all` in `npm run test:all` and in CI, and `few` otherwise. */
export const randomCases = ({ all, few }: { all: number; few: number }): number => (isThorough ? all : few)
