/**
 * The order of the test files: those that start processes or a browser come first. They take longest and wait much, so that other files
 * use the processors meanwhile, and no worker is left alone with one of them at the end. Apart from that the order is Vitest's: files
 * that took long come first, or large ones if it doesn't know.
 */
import { matchesGlob, relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { wholeSystem } from "../../vitest.config.ts"

const isWholeSystem = ({ moduleId, project }: TestSpecification): boolean =>
  wholeSystem.some((pattern) => matchesGlob(relative(project.config.root, moduleId), pattern))

export class WholeSystemFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isWholeSystem), ...sorted.filter((file) => !isWholeSystem(file))]
  }
}
