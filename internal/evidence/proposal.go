package evidence

// ProposalFacts claims what an external proposal states, as its source worded it.
const ProposalFacts Claim = "external_proposal_facts_as_told_by_its_source"
