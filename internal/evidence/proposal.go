package evidence

// ProposalFacts is what an external proposal states, in its source's words.
const ProposalFacts Claim = "external_proposal_facts_as_told_by_its_source"
