/** Whether to run all random cases: `npm run test:all` does, and CI on PostgreSQL. */
const isThorough = process.env.ALL_CASES !== undefined

/** The number of random cases: `all` where `ALL_CASES` is set, and `few` otherwise. */
export const randomCases = ({ all, few }: { all: number; few: number }): number => (isThorough ? all : few)
