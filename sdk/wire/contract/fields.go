package contract

// Field numbers of engine.proto.
const (
	messageID                                                                   = 1 // of every message with an id, which comes first
	callTimeout, callInputs, callTrace, callRequest                             = 2, 3, 4, 5
	valueNumber, valueText, valueTruth, valueExact, valueList, valueRecord      = 1, 2, 3, 4, 5, 6
	valuesValues                                                                = 1
	outcomeAnswer, outcomeRejection, outcomeFailure                             = 2, 3, 4
	answerResult, answerInputs, answerFormula, answerAssumptions, answerWarning = 1, 2, 3, 4, 5
	warningCode, warningSeverity, warningDetail, warningSuggestion              = 1, 2, 3, 4
	rejectionCode, rejectionField, rejectionDetail, rejectionSuggestion         = 1, 2, 3, 4
	rejectionInvalid                                                            = 5
	invalidName, invalidConstraint                                              = 1, 2

	batchTimeout, batchRows, batchSent, batchTrace, batchRequest                  = 2, 3, 4, 5, 6
	batchResult, batchInputs, batchFormula, batchNotes, batchFaults, batchFailure = 2, 3, 4, 5, 6, 7
	columnNumbers, columnTexts, columnValues, columnConstant, columnUnchanged     = 1, 2, 3, 4, 5
	textsDictionary, textsIndexes                                                 = 1, 2
	notesRow, notesAssumptions, notesWarnings                                     = 1, 2, 3
	faultRow, faultRejection, faultFailure                                        = 1, 2, 3

	drawPlot, drawCall                              = 1, 2
	drawingFigure, drawingRejection, drawingFailure = 2, 3, 4
	describeSpec, describeVectors, describeFeatures = 1, 2, 3
	describeWithoutVectors                          = 1
)
