import { claudeCases } from '../cases/claude.ts'
import { testQuestions } from './matrix.ts'

testQuestions(claudeCases())
