package evidence

// ProposalFacts is what a proposal from outside says, as its source's words.
const ProposalFacts Claim = "external_proposal_facts_as_told_by_its_source"
